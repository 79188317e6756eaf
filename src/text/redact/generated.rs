//! Secrets generated from the alphabets that the services document, in the forms in which logs show them, and harmless
//! tokens of every kind that logs are full of: how many of the first survive, and how many of the second do not.

use super::tests::redacted;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const URL: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// The same letters at every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        // A linear congruential generator with Knuth's constants; the high bits are the random ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn letters(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }
}

/// Prefix, alphabet and length of tokens whose shape shows what they are.
const SHAPED: &[(&str, &str, usize)] = &[
    ("hf_", LETTERS, 34),
    ("hf_", PLAIN, 34),
    ("sk-ant-api03-", URL, 93),
    ("sk-proj-", URL, 80),
    ("AKIA", UPPER, 16),
    ("ghp_", PLAIN, 36),
    ("gho_", PLAIN, 36),
    ("github_pat_", PLAIN, 82),
    ("glpat-", URL, 20),
    ("AIza", URL, 35),
    ("npm_", PLAIN, 36),
    ("gsk_", PLAIN, 52),
    ("r8_", PLAIN, 37),
    ("nvapi-", URL, 64),
    ("dop_v1_", HEX, 64),
    ("sk_live_", PLAIN, 24),
    ("dckr_pat_", URL, 27),
];

/// Secrets that only their surroundings show: `$` is the secret.
const NAMED: &[(&str, &str, usize)] = &[
    ("aws_secret_access_key = $", BASE64, 40),
    ("\"SecretAccessKey\": \"$\"", BASE64, 40),
    ("AccountName=x;AccountKey=$==;EndpointSuffix=core.windows.net", BASE64, 86),
    ("    client-key-data: $", BASE64, 1200),
    ("    client-certificate-data: $", BASE64, 1200),
    ("cookies={'sessionid': '$', 'theme': 'dark'}", PLAIN, 24),
    ("Cookie: sid=$; theme=dark", PLAIN, 24),
    ("wandb: logging in with $", HEX, 40),
    ("sending key $ to the server", HEX, 32),
    ("mysql -u root -p$ -h db", PLAIN, 12),
    ("GET /x?a=1%26password%3D$%26b=2", PLAIN, 14),
    ("password=$", PLAIN, 12),
    ("\"password\": \"$\"", PLAIN, 12),
    ("uid=1001(q$) gid=1001(q$)", LOWER, 8),
    ("-rw-r--r-- 1 q$ staff 1234 Jan  1 10:00 train.py", LOWER, 8),
    ("USER       PID %CPU COMMAND\nq$   123 99.0 python train.py", LOWER, 8),
    ("Author: Otto Q$ <x@y.invalid>", LOWER, 8),
    ("q$@gpu-box:~/x# python train.py", LOWER, 8),
];

/// Forms of a line with a shaped token.
const FORMS: &[&str] = &[
    "loading with $ now",
    "login(token=\"$\")",
    "{\"auth\": {\"value\": \"$\"}}",
    "  - name: X\n    value: $",
    "curl 'https://x.io/a?k=$&b=1'",
    "`$`",
    "($),",
    "\u{201c}$\u{201d}",
];

const SAMPLES: usize = 20;

#[test]
fn no_generated_secret_survives() {
    let mut random = Random(7);
    let mut leaks = Vec::new();
    let mut tried = 0;
    let mut check = |form: &str, secret: &str, kind: &str| {
        let text = form.replace('$', secret);
        let out = redacted(&text);
        // A part that is left is a leak too.
        let part = &secret[secret.len() - secret.len().min(10)..];
        tried += 1;
        if out.contains(part) || out.contains(&secret[..secret.len().min(12)]) {
            leaks.push(format!("{kind}: {out:.120}"));
        }
    };
    for (prefix, alphabet, length) in SHAPED {
        for form in FORMS {
            for _ in 0..SAMPLES {
                check(form, &format!("{prefix}{}", random.letters(alphabet, *length)), prefix);
            }
        }
    }
    for (form, alphabet, length) in NAMED {
        for _ in 0..SAMPLES {
            check(form, &random.letters(alphabet, *length), form);
        }
    }
    for _ in 0..SAMPLES {
        let bot = format!("MT{}.{}.{}", random.letters(PLAIN, 24), random.letters(URL, 6), random.letters(URL, 38));
        check("bot $ failed", &bot, "a bot's token");
    }
    assert!(leaks.len() * 1000 <= tried, "{} of {tried} leak:\n{}", leaks.len(), leaks.join("\n"));
}

#[test]
fn a_token_that_a_line_break_cuts_is_removed_in_both_lines() {
    let mut random = Random(3);
    for _ in 0..SAMPLES {
        for between in ["\n", "\\\n", "\n    "] {
            let (one, two) = (random.letters(PLAIN, 20), random.letters(PLAIN, 16));
            let out = redacted(&format!("the token is ghp_{one}{between}{two} and so on\n"));
            assert!(!out.contains(&one[8..]) && !out.contains(&two[8..]), "{out}");
        }
    }
    let prose = "the model is sk-learn-contrib\nThe next line says more\n";
    assert_eq!(redacted(prose), prose);
}

#[test]
fn few_harmless_tokens_are_taken_for_secrets() {
    let mut random = Random(11);
    let mut wrong = Vec::new();
    let mut tried = 0;
    for _ in 0..300 {
        let n = random.below(100);
        for text in [
            format!("commit {}", random.letters(HEX, 40)),
            format!("index {}..{} 100644", random.letters(HEX, 7), random.letters(HEX, 7)),
            format!("sha256:{}", random.letters(HEX, 64)),
            format!("cache key {}", random.letters(HEX, 32)),
            format!("torch==2.{}.{}+cu12{}", n % 9, n % 4, n % 9),
            format!("tensor of shape [{n}, {}, 4096]", n * 2),
            format!("at 0x{}", random.letters(HEX, 12)),
            format!("GPU-{}-1234-5678-9abc-{}", random.letters(HEX, 8), random.letters(HEX, 12)),
            format!("/usr/lib/python3.{n}/site-packages/torch/nn/modules/Module{n}.py"),
            format!("step {n}, loss 0.{}, lr 3e-{n}", random.letters("0123456789", 9)),
            format!("-DCMAKE_CUDA_ARCHITECTURES={n} -DGGML_CUDA=ON"),
            format!("CMAKE_ARGS=\"-DX_{n}=ON\" pip install x"),
            format!("NVCC_PREPEND_FLAGS=-allow-unsupported-compiler{n} make"),
            format!("LD_DEBUG=libs python x{n}.py"),
            format!("_ZN2at6native{n}reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_wrapper"),
            format!("run {} finished", random.letters("abcdefghijklmnopqrstuvwxyz0123456789", 8)),
            format!("triton_poi_fused_add_mul_{n} hf_transfer sk-learn key_{n}"),
            format!("epoch ({n}/100) +{n}.5% in 0:0{}:{n}", n % 10),
            format!("model.layers.{n}.self_attn.q_proj.weight torch.Size([{n}, 4096])"),
            format!("frame #{n}: c10::Error::Error(c10::SourceLocation, std::string) + 0x57"),
        ] {
            tried += 1;
            if redacted(&text) != text {
                wrong.push(redacted(&text));
            }
        }
    }
    assert!(wrong.len() * 1000 <= tried, "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// As a growth and not as a time: four times the line takes no more than eight times as long in one of three attempts.
#[test]
fn long_lines_take_no_square_of_the_time() {
    const PIECES: usize = 2500;
    let time = |piece: &dyn Fn(usize) -> String, pieces: usize| {
        let text: String = (0..pieces).map(piece).collect();
        let started = std::time::Instant::now();
        redacted(&text);
        started.elapsed().as_secs_f64()
    };
    let shapes: &[(&str, &dyn Fn(usize) -> String)] = &[
        ("password=", &|_| "password=".to_owned()),
        ("password%3D", &|_| "password%3D".to_owned()),
        ("a@", &|_| "a@".to_owned()),
        ("a:b@", &|_| "a:b@".to_owned()),
        ("/home/", &|_| "/home/".to_owned()),
        ("users on one line", &|n| format!("/home/user{n}/x ")),
        ("users on many lines", &|n| format!("/home/user{n}/x\n")),
        ("hosts on many lines", &|n| format!("node{n}:1:2 [0] NCCL INFO x\n")),
        ("addresses", &|n| format!("10.0.{}.{} ", n / 256, n % 256)),
        ("dots", &|_| "a.aaaaaa.".to_owned()),
    ];
    let mut slow = Vec::new();
    for (name, piece) in shapes {
        time(piece, 10);
        let ratio = || time(piece, 4 * PIECES) / time(piece, PIECES);
        let ratios: Vec<f64> =
            (0..3).scan(false, |done, _| (!*done).then(&ratio).inspect(|ratio| *done = *ratio < 8.0)).collect();
        if ratios.iter().all(|ratio| *ratio >= 8.0) {
            slow.push(format!("{name}: {ratios:.1?}"));
        }
    }
    assert!(slow.is_empty(), "four times the line took more than eight times the time: {slow:#?}");
}
