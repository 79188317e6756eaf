// The machine over the fake driver: the live panel, the checks, and how a measurement moves the causes of an answer.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { machine } from "./fake.mjs";
import { accessible, check, faultbook, finish, folder, open, overflow, same, send, serve, test, until } from "./help.mjs";

const OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 11.76 GiB of which 1.00 GiB is free.\n";
const EXECUTION = "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx( handle, opa, opb, m, n, k)`\n";
test("the panel shows the GPUs and follows them", async () => {
  const fake = machine("gpu.count=2\ngpu.processes=4312:900\n");
  const server = await serve({ args: fake.args, env: fake.env });
  const page = await open(server, "machine");
  await until(async () => /Live/.test(await page.textContent(".connection")), "it is not live");
  same(await page.locator("section.gpu").count(), 2, "GPUs");
  const memory = await page.locator("section.gpu svg.stack").first().getAttribute("aria-label");
  check(/\d/.test(memory), `memory: ${memory}`);
  check(/4312/.test(await page.textContent("#gpus")), "the process is missing");
  const sampled = await page.locator("#gpus time").first().textContent();
  await until(async () => await page.locator("#gpus time").first().textContent() !== sampled, "nothing is sampled again", 15000);
  await accessible(page, "the machine");
  same(await overflow(page), 0, "sideways overflow");
});

test("the functional checks run at a button, and their results appear", async () => {
  const fake = machine("");
  const server = await serve({ args: fake.args, env: fake.env });
  const page = await open(server, "machine");
  await page.click("#checks button");
  await until(async () => /All checks passed/.test(await page.textContent("#checks")), async () => `no result: ${await page.textContent("#checks")}`, 60000);
  check(await page.locator("#checks table tbody tr").count() > 2, "no table of checks");
  await accessible(page, "the machine after its checks");
});

test("asking the machine moves the causes of an answer", async () => {
  const fake = machine("gemm.wrong.2=1\n");
  const server = await serve({ args: fake.args, env: fake.env });
  const page = await open(server, await send(server, { "": EXECUTION }));
  const before = await page.locator(".cause").evaluateAll((all) => all.map((one) => [one.dataset.cause, one.querySelector(".share")?.textContent]));
  await page.click("form.ask button[value=functional]");
  await until(async () => /What that changed|It changed no cause/.test(await page.textContent("#answer")), "nothing is said of the result", 60000);
  const after = await page.locator(".cause").evaluateAll((all) => all.map((one) => [one.dataset.cause, one.querySelector(".share")?.textContent]));
  check(JSON.stringify(before) !== JSON.stringify(after), `the causes are as before: ${JSON.stringify(after)}`);
  check(await page.evaluate(() => document.activeElement?.closest("form.ask") !== null), "the keyboard's place is lost");
  check(await page.locator("pre.command .copy").count() > 0, "the copy buttons are gone");
  await accessible(page, "the answer after the checks");
  await page.reload();
  same(await page.locator(".cause").evaluateAll((all) => all.map((one) => [one.dataset.cause, one.querySelector(".share")?.textContent])), after, "the causes after a reload");
  await page.click("form.ask button[value=none]");
  await until(async () => await page.locator("form.ask button[value=none]").count() === 0, "the result is not forgotten");
  same(await page.locator(".cause").evaluateAll((all) => all.map((one) => [one.dataset.cause, one.querySelector(".share")?.textContent])), before, "the causes afterwards");
});

test("the panel and the checks without script", async () => {
  const fake = machine("gpu.ecc.uncorrected=3\n");
  const server = await serve({ args: fake.args, env: fake.env });
  const page = await open(server, "machine", { javaScriptEnabled: false });
  same(await page.locator("section.gpu").count(), 1, "GPUs");
  await page.click("#checks button");
  await until(async () => { await page.goto(server.url("machine")); return await page.locator("#checks table tbody tr").count() > 2; }, "no table of checks", 60000);
  await page.goto(server.url(await send(server, { "": EXECUTION })));
  await page.click("form.ask button[value=quick]");
  check(/asked just now/.test(await page.textContent("main")), "the machine was not asked");
});

test("a driver that hangs, and none at all, are said", async () => {
  const fake = machine("cuInit.sleep=40\n");
  const server = await serve({ args: fake.args, env: fake.env });
  const page = await open(server, "machine");
  check(await page.locator("h1").count() === 1, "the page of a hanging driver is not shown");
  const none = await serve({ args: ["--probe"], env: { LD_LIBRARY_PATH: "" } });
  const other = await open(none, "machine");
  check(/driver/.test(await other.textContent("main")), "that there is no driver is not said");
  await accessible(other, "a machine without a driver");
  check((await fetch(none.url("machine"))).status === 200, "the page is gone");
});

test("facts of another machine go with the text", async () => {
  const fake = machine("gpu.count=2\n");
  const server = await serve({ args: ["--no-probe"] });
  const made = folder();
  // What it finds on this machine decides how it exits.
  spawnSync(faultbook, ["probe", "--save", join(made, "facts.json")], { cwd: made, env: { ...process.env, ...fake.env, HOME: made } });
  const page = await open(server);
  await page.click(".paste summary");
  await page.setInputFiles("input[name=facts]", join(made, "facts.json"));
  await page.setInputFiles("input[name=file]", { name: "oom.log", mimeType: "text/plain", buffer: Buffer.from(OOM) });
  await page.click("button.primary");
  await page.waitForURL(/\/d\//);
  check(/recorded facts|saved facts/.test(await page.textContent("main")), "the facts are not used");
});

for (const [name, options] of Object.entries({ dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } })) {
  test(`the machine is accessible: ${name}`, async () => {
    const fake = machine("gpu.count=2\ngpu.ecc.uncorrected=3\ngpu.processes=4312:900,77:300\n");
    const server = await serve({ args: fake.args, env: fake.env });
    const page = await open(server, "machine", options);
    await until(async () => await page.locator("section.gpu").count() === 2, "no GPUs");
    await accessible(page, `the machine, ${name}`);
    same(await overflow(page), 0, "sideways overflow");
  });
}

await finish();
