//! Containers.

use super::{ERROR, on, recipe};

#[test]
fn a_container_gets_the_image_that_its_gpu_and_driver_run() {
    for (gpu, driver, tag) in [
        ("Tesla T4", "470.256.02", "2.7.1-cuda11.8-cudnn9-runtime"),
        ("Tesla T4", "535.104.05", "2.14.0-cuda12.6-cudnn9-runtime"),
        ("Tesla V100-SXM2-16GB", "580.95.05", "2.14.0-cuda12.6-cudnn9-runtime"),
        ("NVIDIA GeForce GTX 1080 Ti", "470.256.02", "2.7.1-cuda11.8-cudnn9-runtime"),
        ("Tesla K80", "470.256.02", "2.0.1-cuda11.7-cudnn8-runtime"),
    ] {
        for (shown, before) in [("$ docker run --rm x\n", "--gpus all "), ("$ kubectl logs trainer\n", "image: ")] {
            // The Python of the container that failed does not matter: an image has its own.
            let text = format!("{shown}{}", on(gpu, driver)).replace("python3.11", "python3.7");
            let (commands, why) = recipe("matching-build", &text);
            assert!(commands.contains(&format!("{before}pytorch/pytorch:{tag}")), "{shown}{gpu}, {driver}: {commands}");
            assert!(!why.contains("Python"), "{why}");
        }
    }
    // The images of PyTorch have their packages in /opt/conda.
    let text = format!("$ docker run --rm x\n{}", on("Tesla T4", "535.104.05")).replace("/home/u/.venv", "/opt/conda");
    let (commands, _) = recipe("matching-build", &text);
    assert!(commands.contains("2.14.0-cuda12.6-cudnn9-runtime"), "{commands}");
    // Where the driver is not known, the image for older ones comes after it.
    let (commands, _) = recipe("matching-build", &format!("$ docker run --rm x\nGPU 0: Tesla T4\n{ERROR}"));
    let last = commands.lines().last().unwrap_or_default();
    assert!(last.contains("older than 580") && last.contains("2.14.0-cuda12.6"), "{commands}");
}
