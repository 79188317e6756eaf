//! Harmless tokens of every kind that logs are full of: how many are taken for secrets; and that redaction stays linear.

use super::generated::Random;
use super::tests::redacted;

const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX: &str = "0123456789abcdef";

#[test]
fn a_token_that_a_line_break_cuts_is_removed_in_both_lines() {
    let mut random = Random(3);
    for _ in 0..20 {
        for between in ["\n", "\\\n", "\n    "] {
            let (one, two) = (random.letters(PLAIN, 20), random.letters(PLAIN, 16));
            let out = redacted(&format!("the token is ghp_{one}{between}{two} and so on\n"));
            assert!(!out.contains(&one[8..]) && !out.contains(&two[8..]), "{out}");
        }
    }
    let prose = "the model is sk-learn-contrib\nThe next line says more\n";
    assert_eq!(redacted(prose), prose);
}

/// Texts of one sample.
fn harmless(random: &mut Random) -> Vec<String> {
    let n = random.below(100);
    let mut hex = |length| random.letters(HEX, length);
    let mut out = vec![
        format!("commit {}", hex(40)),
        format!("index {}..{} 100644", hex(7), hex(7)),
        format!("sha256:{}", hex(64)),
        format!("cache key {}", hex(32)),
        format!("torch==2.{}.{}+cu12{}", n % 9, n % 4, n % 9),
        format!("tensor of shape [{n}, {}, 4096]", n * 2),
        format!("at 0x{}", hex(12)),
        format!("GPU-{}-1234-5678-9abc-{}", hex(8), hex(12)),
        format!("/usr/lib/python3.{n}/site-packages/torch/nn/modules/Module{n}.py"),
        format!("step {n}, loss 0.{}, lr 3e-{n}", n * 7 + 1),
        format!("-DCMAKE_CUDA_ARCHITECTURES={n} -DGGML_CUDA=ON"),
        format!("CMAKE_ARGS=\"-DX_{n}=ON\" pip install x"),
        format!("NVCC_PREPEND_FLAGS=-allow-unsupported-compiler{n} make"),
        format!("LD_DEBUG=libs python x{n}.py"),
        format!("_ZN2at6native{n}reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_wrapper"),
        format!("run {} finished", hex(8)),
        format!("triton_poi_fused_add_mul_{n} hf_transfer sk-learn key_{n}"),
        format!("epoch ({n}/100) +{n}.5% in 0:0{}:{n}", n % 10),
        format!("model.layers.{n}.self_attn.q_proj.weight torch.Size([{n}, 4096])"),
        format!("frame #{n}: c10::Error::Error(c10::SourceLocation, std::string) + 0x57"),
        // Hashes and ids.
        format!("{}  model.safetensors", hex(64)),
        format!("Using cached checkpoint {}", hex(40)),
        format!("docker.io/nvcr/pytorch@sha256:{}", hex(64)),
        format!("MIG-{}-{}-{}-{}-{}", hex(8), hex(4), hex(4), hex(4), hex(12)),
        format!("request {}-{}-{}-{}-{} failed", hex(8), hex(4), hex(4), hex(4), hex(12)),
        format!("/root/.cache/huggingface/hub/models--meta-llama--Llama-3.1-8B/snapshots/{}/config.json", hex(40)),
        format!("v2.{n}.0-rc1-{n}-g{}", hex(9)),
        format!("torch-2.{n}.0a0+git{} pytorch-2.{n}.1-py3.12_cuda12.4_cudnn9.1.0_0", hex(7)),
        format!("__pycache__/m_{}.cpython-312.pyc, /tmp/torchinductor_x/{}/c{}.py", hex(8), hex(2), hex(40)),
        // Versions, wheels, packages.
        format!("nvidia-cublas-cu12==12.{n}.5.8 nvidia_nccl_cu12-2.{n}.5-py3-none-manylinux2014_x86_64.whl"),
        format!("flash_attn-2.{n}.3+cu12torch2.6cxx11abiFALSE-cp312-cp312-linux_x86_64.whl"),
        format!("/opt/conda/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn_engines_precompiled.so.9.{n}"),
        format!("Collecting transformers==4.{n}.2 (from -r requirements.txt (line {n}))"),
        // Shapes, sizes, times.
        format!("mat1 and mat2 shapes cannot be multiplied ({n}x4096 and 11008x{n})"),
        format!(
            "[{n}/1000] 2025-01-{:02}T10:00:{:02}.123456Z loss=0.{n}1234 lr=1.{n}e-05 tok/s=12345.6",
            n % 28 + 1,
            n % 60
        ),
        format!("Tried to allocate {n}.50 GiB. GPU 0 has a total capacity of 79.{n} GiB of which 1.{n} MiB is free."),
        // Kernels and symbols.
        format!(
            "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x{n}x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"
        ),
        format!(
            "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x{n}_tn_align8>(Params)"
        ),
        format!(
            "Cijk_Ailk_Bljk_HHS_BH_MT128x{n}x16_MI32x32x8x1_SN_1LDSB0_APM1_ABV0_ACED0_AF0EM1_AF1EM1_AMAS3_ASGT_ASAE01"
        ),
        format!("_ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_ib+0x{}", hex(3)),
        format!("triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_{n} torch_compile_debug/run_2025_01_01_{n}"),
        // Flags and variables of diagnosis.
        format!("TORCH_CUDA_ARCH_LIST=\"8.0;9.0a\" MAX_JOBS={n} pip install -v -e ."),
        "CMAKE_ARGS=\"-DGGML_CUDA=on -DCMAKE_CUDA_COMPILER=/usr/local/cuda-12.4/bin/nvcc\" pip install x".to_owned(),
        "NVCC_PREPEND_FLAGS='-ccbin /usr/bin/g++-12' NVCC_APPEND_FLAGS=-lineinfo make".to_owned(),
        format!("LD_DEBUG=libs,files LD_PRELOAD=/usr/lib/libjemalloc.so.{} python x.py", n % 3),
        format!(
            "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:{n},expandable_segments:True NCCL_DEBUG_SUBSYS=INIT,NET python x.py"
        ),
        format!(
            "-gencode arch=compute_{n},code=sm_{n} -O3 -std=c++17 -DTORCH_EXTENSION_NAME=fused_{n} -D_GLIBCXX_USE_CXX11_ABI=1"
        ),
        // Words that name secrets beside values that are none.
        format!(
            "max_tokens={n}, pad_token_id={n}, eos_token='</s>', tokenizer_class=LlamaTokenizerFast, num_key_value_heads={n}"
        ),
        format!("state_dict key model.layers.{n}.self_attn.k_proj.weight is missing, key: lm_head.weight"),
        format!("KeyError: 'layer_{n}'; sort_keys=True; signature=(int, str); auth=None; passes={n}; key={n}"),
        format!("test_attention_mask_{n} PASSED tests/test_key_value_cache.py::test_live_tokens_{n}"),
    ];
    let integrity = random.letters(BASE64, 86);
    out.push(format!("integrity sha512-{integrity}=="));
    let (job, name) = (random.letters("0123456789", 8), random.letters(LOWER, 10));
    out.push(format!("sbatch: Submitted batch job {job}; pod/train-{name}-x{n} Running"));
    let dump = random.letters(UPPER, 52);
    out.push(format!("/root/.triton/cache/{dump}/add_kernel.cubin"));
    out
}

fn measure(samples: usize) -> (usize, Vec<String>) {
    let mut random = Random(11);
    let texts: Vec<String> = (0..samples).flat_map(|_| harmless(&mut random)).collect();
    let changed = |text: &String| Some(redacted(text)).filter(|out| out != text);
    let mut wrong: Vec<String> = texts.iter().filter_map(changed).collect();
    // Together too: a line break between two of them cuts no token.
    for part in texts.chunks(50) {
        let text = part.join("\n");
        let out = redacted(&text);
        wrong.extend(out.lines().filter(|line| !part.iter().any(|kept| kept == line)).map(str::to_owned));
    }
    (texts.len(), wrong)
}

#[test]
fn few_harmless_tokens_are_taken_for_secrets() {
    let (tried, wrong) = measure(20);
    assert!(wrong.len() * 1000 <= tried, "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// `cargo test --lib redact::harmless -- --ignored --nocapture`: the figures of docs/robustness.md.
#[test]
#[ignore = "takes a minute"]
#[expect(clippy::print_stdout, reason = "the figures are for people")]
fn few_harmless_tokens_are_taken_for_secrets_in_many_samples() {
    let (tried, wrong) = measure(500);
    println!("{tried} texts, {} changed", wrong.len());
    assert!(wrong.len() * 1000 <= tried, "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

/// As a growth and not as a time: sixteen times the line takes less than 64 times as long (a square would take 256 times) in one
/// of ten attempts, because a busy machine interrupts the longer one.
#[test]
fn long_lines_take_no_square_of_the_time() {
    const PIECES: usize = 2000;
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
        let ratio = || time(piece, 16 * PIECES) / time(piece, PIECES);
        let ratios: Vec<f64> =
            (0..10).scan(false, |done, _| (!*done).then(&ratio).inspect(|ratio| *done = *ratio < 64.0)).collect();
        if ratios.iter().all(|ratio| *ratio >= 64.0) {
            slow.push(format!("{name}: {ratios:.1?}"));
        }
    }
    assert!(slow.is_empty(), "sixteen times the line took more than 64 times the time: {slow:#?}");
}
