//! Jetson boards: JetPack decides which build exists.

use super::{ERROR, recipe};

fn on(board: &str, python: &str) -> (String, String) {
    recipe("matching-build", &format!("{board}\n{}", ERROR.replace("3.11", python)))
}

#[test]
fn jetpack_7_on_orin_gets_no_wheel_of_jetpack_6() {
    for board in
        ["Jetson Orin Nano, JetPack 7.2", "# R39 (release), REVISION: 2.0\nGPU: Orin", "AGX Orin, Linux 6.8.12-tegra"]
    {
        let (commands, why) = on(board, "3.12");
        assert_eq!(commands, "conda install -c conda-forge pytorch-gpu torchvision \"cuda-version=13.0\"", "{board}");
        assert!(why.contains("(sm_87) on JetPack 7; no wheel of pip that we know has it."), "{board}: {why}");
    }
}

#[test]
fn each_jetpack_has_its_own_index() {
    for (board, python, ends) in [
        ("Jetson AGX Orin, L4T R36.4.3", "3.10", "https://pypi.jetson-ai-lab.io/jp6/cu126"),
        ("Jetson Orin NX, nvidia-l4t-core 35.4.1", "3.8", "nv23.06-cp38-cp38-linux_aarch64.whl"),
        ("Jetson AGX Thor, L4T 38.2.2", "3.12", "pip install torch torchvision"),
        // Its Python decides where nothing else does.
        ("Jetson AGX Orin", "3.10", "https://pypi.jetson-ai-lab.io/jp6/cu126"),
    ] {
        let (commands, _) = on(board, python);
        assert!(commands.ends_with(ends), "{board}: {commands}");
    }
}

#[test]
fn an_unknown_jetpack_gets_the_question_and_the_rows() {
    for board in ["Jetson AGX Orin devkit", "our Jetson board"] {
        let (commands, why) = on(board, "3.12");
        assert!(commands.starts_with("cat /etc/nv_tegra_release\n"), "{board}: {commands}");
        for (command, release) in
            [("jp6/cu126 ", "# R36 (JetPack 6)"), ("\"cuda-version=13.0\" ", "# R38 or R39 (JetPack 7)")]
        {
            let line = commands.lines().find(|line| line.contains(command)).unwrap_or_default();
            assert!(line.contains(release), "{board}: {commands}");
        }
        assert!(why.starts_with("The first command shows the release of Jetson Linux"), "{why}");
    }
}

#[test]
fn a_board_without_a_wheel_gets_no_command_of_another_one() {
    for (board, python) in [("Jetson Nano, JetPack 4.6", "3.6"), ("Jetson TX2", "3.6")] {
        let (commands, why) = on(board, python);
        assert_eq!(commands, "", "{board}");
        assert!(why.starts_with("No wheel that we know has code for the Jetson"), "{board}: {why}");
    }
}
