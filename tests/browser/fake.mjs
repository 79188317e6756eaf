// The fake driver of tests/fake-driver, compiled once, with a scenario of its own for each server.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, leaveOut, root } from "./help.mjs";

let driver;
/** What a server needs to see the fake driver's GPUs, in that scenario; its memory is this machine's. */
export const machine = (scenario) => {
  if (!driver) {
    const made = folder();
    const built = spawnSync("rustc", ["--edition", "2021", "--crate-type", "cdylib", "-O", "-C", "panic=abort", "-o", join(made, "libcuda.so.1"), join(root, "tests/fake-driver/driver.rs")]);
    if (built.error) leaveOut("rustc is not installed");
    if (built.status !== 0) throw new Error(String(built.stderr));
    symlinkSync("libcuda.so.1", join(made, "libnvidia-ml.so.1"));
    const site = join(made, "venv/lib/python3.11/site-packages/nvidia");
    for (const [folder, name] of [["cudnn", "libcudnn.so.9"], ["cublas", "libcublas.so.12"], ["cuda_nvrtc", "libnvrtc.so.12"]]) {
      mkdirSync(join(site, folder, "lib"), { recursive: true });
      copyFileSync(join(made, "libcuda.so.1"), join(site, folder, "lib", name));
    }
    writeFileSync(join(made, "venv/pyvenv.cfg"), "version = 3.11.7\n");
    driver = made;
  }
  const path = join(folder(), "scenario.txt");
  const set = (lines) => writeFileSync(path, `${lines}\ngpu.total=2048\ngpu.free=1800\n`);
  set(scenario);
  const env = { LD_LIBRARY_PATH: driver, FAULTBOOK_FAKE: path, CUDA_VISIBLE_DEVICES: "0,1" };
  return { set, env, args: ["--probe", "--python", join(driver, "venv")] };
};
