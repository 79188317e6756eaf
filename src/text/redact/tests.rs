//! Planted secrets must not survive; what only looks like one must; a second redaction finds nothing more.

use proptest::prelude::*;

use super::*;

/// Composed at run time, so that no scanner takes this file for a leak.
fn made(prefix: &str, length: usize) -> String {
    let letters = b"q7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1Ue0Qo";
    let tail: String = (0..length).map(|i| char::from(letters[(i * 7 + i / 5) % letters.len()])).collect();
    format!("{prefix}{tail}")
}

fn hex(length: usize) -> String {
    let letters = b"3f9a1c7e5b2d8046";
    (0..length).map(|i| char::from(letters[(i * 5 + i * i / 3) % 16])).collect()
}

pub(super) fn redacted(text: &str) -> String {
    Redactor::default().text(text).into_owned()
}

#[test]
fn planted_secrets_do_not_survive() {
    let long = made("", 40);
    let key =
        format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n{}\n-----END RSA PRIVATE KEY-----", made("", 64), made("", 64));
    let cases: Vec<(String, String)> = [
        ("hf_", 34),
        ("api_org_", 34),
        ("sk-ant-api03-", 80),
        ("sk-proj-", 80),
        ("sk-", 48),
        ("ghp_", 36),
        ("gho_", 36),
        ("github_pat_", 60),
        ("glpat-", 20),
        ("xoxb-", 50),
        ("AIza", 35),
        ("npm_", 36),
        ("pypi-AgEI", 80),
        ("nvapi-", 64),
        ("dckr_pat_", 27),
        ("hvs.", 30),
        ("gsk_", 52),
        ("r8_", 37),
    ]
    .into_iter()
    .map(|(prefix, length)| {
        let token = made(prefix, length);
        (format!("Loading with token {token}, retry\nurl?x={token}&y=1 (`{token}`)"), token)
    })
    .chain([
        (format!("AWS {}", made("AKIA", 16).to_uppercase()), made("AKIA", 16).to_uppercase()),
        (format!("WANDB_API_KEY={}", hex(40)), hex(40)),
        (format!("wandb login {}", hex(40)), hex(40)),
        (format!("export AWS_SECRET_ACCESS_KEY='{long}'"), long.clone()),
        (format!("aws_secret_access_key = {long}"), long.clone()),
        (format!("\"api_key\": \"{long}\""), long.clone()),
        ("password=hunter2".to_owned(), "hunter2".to_owned()),
        ("db: {'password': 'correct horse'}".to_owned(), "correct horse".to_owned()),
        ("run --password hunter2 --epochs 3".to_owned(), "hunter2".to_owned()),
        ("git clone https://me:s3cr3t!x@git.corp.io/x.git".to_owned(), "s3cr3t!x".to_owned()),
        (format!("pip install git+https://{long}@github.com/org/x"), long.clone()),
        ("postgresql://svc_train:Sup3rS3cret@db17.corp:5432/x".to_owned(), "Sup3rS3cret".to_owned()),
        (format!("Authorization: Bearer {long}"), long.clone()),
        (format!("curl -H 'Authorization: Basic {}=='", made("", 30)), made("", 30)),
        (format!("jwt eyJ{}.{}.{}", made("", 20), made("", 30), made("", 30)), made("", 30)),
        (format!("key file:\n{key}\nend"), made("", 64)),
        (format!("cookie {long} was refused"), long.clone()),
        ("mail alice.smith@corp-ai.com now".to_owned(), "alice".to_owned()),
        ("  File \"/home/alice/ocr/train.py\", line 3, in f".to_owned(), "alice".to_owned()),
        ("C:\\Users\\Alice Smith\\ocr\\train.py".to_owned(), "Alice".to_owned()),
        ("/Users/alice/x and /data/alice/y".to_owned(), "alice".to_owned()),
        ("alice@gpu17:~/ocr$ python train.py".to_owned(), "alice".to_owned()),
        ("alice@gpu17:~/ocr$ python train.py".to_owned(), "gpu17".to_owned()),
        ("gpu-a100-17:4312:4400 [3] NCCL INFO x".to_owned(), "a100-17".to_owned()),
        ("INFO gpu-node-17.cluster.bankofada.com is up".to_owned(), "bankofada".to_owned()),
        ("rank 3 (n042.hpc.uni-x.de): lost".to_owned(), "n042".to_owned()),
        ("  host      : merlin\n  rank      : 3 (local_rank: 3)".to_owned(), "merlin".to_owned()),
        ("failed to connect to [node17.hpc.uni.edu]:29500".to_owned(), "node17".to_owned()),
        ("MASTER_ADDR=node17 MASTER_PORT=29500 python x.py".to_owned(), "node17".to_owned()),
        ("Nov 20 10:00:01 dgx-04 kernel: NVRM: Xid (PCI:0000:3b:00): 79".to_owned(), "dgx-04".to_owned()),
        ("connecting to 10.12.0.7:29500".to_owned(), "10.12.0.7".to_owned()),
        ("peer 8.34.56.78 gone".to_owned(), "8.34.56.78".to_owned()),
        ("inet6 fe80::1c2a:3bff:fe4d:5e6f".to_owned(), "fe80".to_owned()),
        ("ether 3c:ec:ef:12:34:56".to_owned(), "3c:ec".to_owned()),
        ("https://wandb.mycorp.io/x/runs/1".to_owned(), "mycorp".to_owned()),
        ("ip-10-0-3-17.ec2.internal: x".to_owned(), "10-0-3-17".to_owned()),
        ("COMPANY_BUCKET=s3-secret-project python train.py".to_owned(), "s3-secret-project".to_owned()),
        ("export TEAM_NAME=\"skunk works\"".to_owned(), "skunk works".to_owned()),
        ("docker run -e CUSTOMER=bigbank image".to_owned(), "bigbank".to_owned()),
        (format!("wandb: WARNING API key {} is not valid", hex(40)), hex(40)),
        (format!("wandb login --relogin {}", hex(40)), hex(40)),
        (format!("machine api.wandb.ai\n  login user\n  password {}\n", hex(40)), hex(40)),
        (format!("POST https://discord.com/api/webhooks/841407806671723143/{}", made("", 68)), made("", 68)),
        (format!("Authorization: token {}", made("", 28)), made("", 28)),
        (format!("authorization: {}", made("", 28)), made("", 28)),
        (format!("'Authorization': 'ApiKey {}'", made("", 28)), made("", 28)),
        (format!("Set-Cookie: sessionid={}; Path=/; HttpOnly", made("", 20)), made("", 20)),
        ("Cookie: theme=dark; sid=ogpalknogfmdlbii".to_owned(), "ogpalknogfmdlbii".to_owned()),
        (format!("https://b.s3.amazonaws.com/k?X-Amz-Signature={}", hex(64)), hex(64)),
        (format!("glptt-{}", hex(40)), hex(40)),
        ("sshpass -p hunter22 ssh x".to_owned(), "hunter22".to_owned()),
        ("curl -u bob:hunter22 https://x.io".to_owned(), "hunter22".to_owned()),
        ("password is hunter22".to_owned(), "hunter22".to_owned()),
        ("pwd=hunter22;".to_owned(), "hunter22".to_owned()),
        ("'pass': 'hunter22'".to_owned(), "hunter22".to_owned()),
        ("<password>hunter22</password>".to_owned(), "hunter22".to_owned()),
        ("'password' => 'hunter22'".to_owned(), "hunter22".to_owned()),
        ("password=b'hunter22'".to_owned(), "hunter22".to_owned()),
        (r#""password": "hun\"ter22""#.to_owned(), "ter22".to_owned()),
        ("environ({'HOSTNAME': 'gpu-box-9', 'DB_NAME': 'tiger-5'})".to_owned(), "tiger-5".to_owned()),
        ("USER=jdoe7\nsaved /scratch/jdoe7/x".to_owned(), "jdoe7".to_owned()),
        ("saved to ~jdoe7/x".to_owned(), "jdoe7".to_owned()),
        (r"\\fs01\home\jdoe7\x".to_owned(), "jdoe7".to_owned()),
        (format!("ssh-rsa {} bob@laptop7", made("AAAA", 60)), "laptop7".to_owned()),
        ("INFO - Start running, host: kq@box7, work_dir: /x".to_owned(), "box7".to_owned()),
        ("srun: error: gpu-a100-04: task 3: Killed".to_owned(), "gpu-a100-04".to_owned()),
        ("slurmstepd: error: *** JOB 1 ON cn-g014 CANCELLED AT 2025-01-01 ***".to_owned(), "cn-g014".to_owned()),
        ("http://proxy.example-inc.net:3128".to_owned(), "example-inc".to_owned()),
        ("mac 00-1b-44-11-3a-b7".to_owned(), "00-1b-44".to_owned()),
        ("ip: 10.3.2.1.".to_owned(), "10.3.2.1".to_owned()),
    ])
    .collect();
    for (text, secret) in cases {
        let out = redacted(&text);
        assert!(!out.contains(&secret), "{text}\n-> {out}");
        assert!(out.contains("REDACTED_") || out.contains("user"), "{text}\n-> {out}");
        assert_eq!(out.matches('\n').count(), text.matches('\n').count(), "{text}\n-> {out}");
        assert_eq!(redacted(&out), out);
    }
}

#[test]
fn no_line_of_a_private_key_survives() {
    let lines: Vec<String> = (0..6).map(|n| made(&format!("{n}/+Ab"), 59)).collect();
    let whole = |kind: &str| {
        let mut block = vec![format!("-----BEGIN {kind}-----")];
        block.extend(lines.iter().cloned());
        block.push("aB3=".to_owned());
        block.push(format!("-----END {kind}-----"));
        block
    };
    let plain = whole("RSA PRIVATE KEY");
    let mut armoured = whole("PGP PRIVATE KEY BLOCK");
    armoured.insert(1, String::new());
    for (what, block) in [
        ("whole", plain.clone()),
        ("armoured", armoured),
        ("without its end", plain[..5].to_vec()),
        ("without its beginning", plain[3..].to_vec()),
    ] {
        for prefix in ["", "[rank3]: 2025-01-01 10:00:00 ", "pod/x-1 | "] {
            let log: String = block.iter().map(|line| format!("{prefix}{line}\n")).collect();
            let text = format!("loading\n{log}RuntimeError: it fails\n");
            let out = redacted(&text);
            for line in &lines {
                assert!(!out.contains(line.as_str()), "{what}, {prefix}: {out}");
            }
            assert!(out.ends_with("RuntimeError: it fails\n"), "{what}, {prefix}: {out}");
            assert_eq!(out.matches('\n').count(), text.matches('\n').count());
        }
    }
}

#[test]
fn a_key_that_is_cut_off_does_not_take_the_log_behind_it() {
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n", made("", 64));
    let text =
        format!("{key}RuntimeError: it fails\n{}{key}{}-----END RSA PRIVATE KEY-----\n", "step\n".repeat(9), key);
    let out = redacted(&text);
    assert!(out.contains("RuntimeError: it fails\nstep\n"), "{out}");
    assert!(!out.contains(&made("", 64)), "{out}");
}

#[test]
fn a_name_that_is_learned_late_is_taken_out_early_too() {
    let text = format!("node-17 is slow\n{}node-17:1:2 [0] NCCL INFO x\nhost 10.0.0.7\n", "step 3\n".repeat(100));
    let out = redacted(&text);
    assert!(!out.contains("node-17") && out.starts_with("REDACTED_HOST_"), "{out}");
    assert_eq!(out.matches("step 3\n").count(), 100);
}

#[test]
fn what_says_nothing_about_anybody_is_kept() {
    for text in [
        "nvidia-cublas-cu12==12.4.5.8 nvidia-cudnn-cu12 9.1.0.70 libcudnn.so.9.10.2.21",
        "nvidia-curand-cu12        10.3.2.106",
        "Collecting nvidia-cufft-cu11==10.9.0.58 (from torch)",
        "OS: Linux 6.6.87.2-microsoft-standard-WSL2",
        "driver 580.95.05 (CUDA 13.0), cuDNN 91002",
        "listening on 127.0.0.1:8080 and 0.0.0.0:6006, localhost:29500",
        "pad_token = tokenizer.eos_token, max_tokens: 4096, token=None, key=gt_shrink",
        "KeyError: 'gt_shrink'",
        "AuthenticationError: Secret: not set, password: must not be empty",
        "HF_TOKEN=your_token_here, password=os.environ['PW'], api_key: str = None, key: Optional[str]",
        "commit 3f2a9c1b7d8e4f5a6b7c8d9e0f1a2b3c4d5e6f70",
        "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_wrapper_tIfZNS0_11sum_functor",
        "ConvolutionBackward0AccumulateGradMaxPool2DWithIndicesBackward0Functions",
        "at::native::add c10::cuda::CUDAKernelLaunchRegistry::x() 12:34:56 00000000:01:00.0",
        "  File \"/home/user/ocr/train.py\", line 88, in <module>",
        "/root/.triton/cache/QGSBJYZYAHBKEDYL3KWMVQGMRKDGCFTNZDFVZ5C5SYV7GUKFDAPA/x.so",
        "attn = q@k.transpose(-2, -1); y = x@w.mT; @torch.no_grad()",
        "see https://pytorch.org/docs and https://docs.nvidia.com/x, git@github.com:org/x.git",
        "CUDA_VISIBLE_DEVICES=0,1 NCCL_DEBUG=INFO BATCH=4 python train.py trainer.devices=2 exp_name=ocr",
        "LD_LIBRARY_PATH=/usr/local/cuda/lib64 python x.py",
        "GPU-8f6d3a1e-1234-5678-9abc-def012345678",
        "layer4.0.conv1.in h2o.frame.H2OFrame nvidia-smi.py.in sm_90.cubin.data",
        "threading.local() self.local, torch.internal",
        "[rank3]: RuntimeError: CUDA error: an illegal memory access was encountered",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx hf_examplehf_examplehf_example",
        "2025-11-10T10:00:01 INFO trainer: epoch 3",
        "Requirement already satisfied: nvidia-cudnn-cu12==9.1.0.70 in /x (from torch==2.4.1) (9.1.0.70)",
        "--- PASS: TestXidParser/xid_79_fallen_off_the_bus, PWD=/opt/x1y2z3, forward_pass=step12",
        "evaluated on cifar, 10000 images; from checkpoint:12000; user: str, user=admin, ~/x ~3/4",
        "see https://tvm.apache.org/docs/errors.html and https://cwiki.apache.org/x",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "cache key 3f9a1c7e5b2d80463f9a, password is required, cookie: accept, Authorization: required",
        "the token vocabulary_size_32000x, Basic BasicBlock3, 20-25-11-10-18-08",
        "torch==2.8.0+cu128 pypi-simple-index sk-learn sk-image co_occurrence",
    ] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn a_name_is_learned_and_numbered() {
    let mut redactor = Redactor::new(&Known { users: vec!["bwayne".to_owned()], hosts: vec!["batcave".to_owned()] });
    let text = "gpu17:1:2 [0] NCCL INFO x\nrun by bwayne on batcave\ngpu18 and gpu17 and 10.0.0.9\n";
    let out = redactor.text(text).into_owned();
    assert!(!out.contains("gpu17") && !out.contains("bwayne") && !out.contains("batcave"), "{out}");
    let first = out.lines().next().unwrap_or_default().split(':').next().unwrap_or_default().to_owned();
    assert_eq!(redactor.text("and gpu17 again"), format!("and {first} again"));
    // Another machine in a text that was redacted before gets another number.
    let mut next = Redactor::default();
    let again = next.text("REDACTED_HOST_1 talks to\ngpu99:1:2 [0] NCCL INFO").into_owned();
    assert_eq!(again, "REDACTED_HOST_1 talks to\nREDACTED_HOST_2:1:2 [0] NCCL INFO");
    let found: Vec<_> = redactor.found().map(|one| (one.kind, one.looked.clone())).collect();
    assert!(found.iter().any(|(kind, looked)| *kind == Kind::Host && looked == "g... (5 characters)"), "{found:?}");
}

#[test]
fn allowed_variables() {
    for (name, allowed) in [
        ("CUDA_VISIBLE_DEVICES", true),
        ("NCCL_SOCKET_IFNAME", true),
        ("HF_TOKEN", false),
        ("WANDB_API_KEY", false),
        ("HF_HUB_TOKEN", false),
        ("AWS_PROFILE", false),
        ("TOKENIZERS_PARALLELISM", true),
        ("HOME", false),
    ] {
        assert_eq!(is_allowed(name), allowed, "{name}");
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "hf_",
        "sk-",
        "ghp_",
        "AKIA",
        "://",
        "@",
        ":",
        "=",
        "/home/",
        "\\Users\\",
        "bob",
        "bob7",
        "gpu17",
        "10.0.0.7",
        ".",
        "-",
        "_",
        "password",
        "token",
        "API_KEY",
        "\"",
        "'",
        " ",
        "\n",
        "q7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1Ue0Qo",
        "REDACTED_HOST_1",
        "REDACTED_",
        "fe80::1",
        "eyJ",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END ",
        "-----END RSA PRIVATE KEY-----",
        "ssh ",
        "[0] NCCL",
        ":1:2 ",
        "Bearer ",
        "한글",
        "é",
        "x.com",
        ".internal",
        "host : ",
        "export ",
        "A=",
        "--password ",
        "login ",
        "Cookie: ",
        "authorization",
        "USER",
        " -u ",
        "curl ",
        "environ",
        ": ",
        "srun: error: ",
        "<",
        ">",
        "hunter22",
        "\u{1b}[31m",
        "\u{1b}",
        "^[[0m",
        "\u{8}",
        "\u{200b}",
        "%3D",
        "%252F",
        "%",
        "\\",
        "\\n",
        "\\\"",
        "\\u003d",
        "\r\n",
        "\\\n",
        "\n    ",
        "DD_API_KEY",
        "9f3a1c7e5b2d80463f9a",
        "1c7e5b2d80463f9a1c7e",
        "-us12",
        ":AA",
    ]);
    prop::collection::vec(prop_oneof![4 => parts.prop_map(str::to_owned), 1 => "\\PC{0,6}"], 0..24)
        .prop_map(|parts| parts.concat())
}

#[test]
fn a_path_that_grew_by_redaction_is_no_key() {
    let once = redacted("-----BEGIN RSA PRIVATE KEY-----\n/home//home/ssh  ");
    assert_eq!(redacted(&once), once);
}

#[test]
fn the_end_of_a_key_is_no_name() {
    let once = redacted(
        "-----BEGIN RSA PRIVATE KEY-----/home/-----END RSA PRIVATE KEY-----\r\n\nq7Zk2LmX9vT4bNpR8sWy3GdHj6Fc5Va1Ue0Qo-----BEGIN RSA PRIVATE KEY-----",
    );
    assert!(!once.contains("/home/user"), "{once}");
    assert_eq!(redacted(&once), once);
}

#[test]
fn a_key_ends_before_what_was_redacted_already() {
    let once = redacted("-----BEGIN RSA PRIVATE KEY-----authorizationlogin \r\nREDACTED_HOST_1\r\n/home/-----END ");
    assert!(!once.contains("authorizationlogin"), "{once}");
    assert_eq!(redacted(&once), once);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn redaction_is_idempotent_and_keeps_lines(text in hostile()) {
        let once = redacted(&text);
        prop_assert_eq!(once.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(redacted(&once), once);
    }
}
