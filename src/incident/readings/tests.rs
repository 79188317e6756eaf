//! Lines as trainers print them, and the series that they become.

use expect_test::{Expect, expect};

use super::*;

/// The series of a text: what, name, rank, GPU, then place and value of each reading.
fn read(text: &str) -> String {
    let transcript = crate::text::read(text.as_bytes());
    let incident = crate::incident::read(&transcript);
    let readings = readings(&transcript, &incident, text.as_bytes());
    let mut out = String::new();
    for series in &readings.series {
        let of = |name: &str, value: Option<u32>| value.map(|value| format!(" {name} {value}")).unwrap_or_default();
        out.push_str(&format!(
            "{:?} {:?}{}{}:",
            series.quantity,
            series.label,
            of("rank", series.rank),
            of("GPU", series.device)
        ));
        for (row, value) in &series.values {
            let row = &readings.rows[*row as usize];
            let place = match (row.step.is_nan(), row.epoch.is_nan()) {
                (false, true) => format!("{}", row.step),
                (false, false) => format!("{}/e{}", row.step, row.epoch),
                (true, false) => format!("e{}", row.epoch),
                (true, true) => format!("l{}", row.line),
            };
            let value = if series.quantity.is_memory() {
                format!("{:.0}M", value / 1_048_576.0)
            } else {
                format!("{value:.4}")
            };
            out.push_str(&format!(
                " {place}={}",
                if value.contains('.') { value.trim_end_matches('0').trim_end_matches('.') } else { &value }
            ));
        }
        out.push('\n');
    }
    out
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&read(text));
}

#[test]
fn hugging_face() {
    let text = "  0%|          | 0/300 [00:00<?, ?it/s]\n 3%|3 | 10/300 [00:10<04:50,  1.00s/it]\n\
                {'loss': 2.3125, 'grad_norm': 1.25, 'learning_rate': 4.8e-05, 'epoch': 0.1}\n\
                {'loss': '2.2', 'grad_norm': 'nan', 'learning_rate': '4.6e-05', 'epoch': '0.2'}\n\
                {'eval_loss': 2.1, 'eval_runtime': 12.3, 'eval_samples_per_second': 81.2, 'epoch': 0.2}\n";
    check(
        text,
        &expect![[r#"
            StepsPerSecond "steps/s": 10=1
            Loss "loss": 10/e0.1=2.3125 10/e0.2=2.2
            GradientNorm "grad norm": 10/e0.1=1.25 10/e0.2=NaN
            LearningRate "learning rate": 10/e0.1=0 10/e0.2=0
            ValidationLoss "eval loss": 10/e0.2=2.1
        "#]],
    );
}

#[test]
fn bars_that_overwrote_each_other() {
    let state =
        |n: u32| format!("\rEpoch 0:  {n}%|#   | {n}/100 [00:01<00:09,  9.5it/s, v_num=0, train_loss={}.5]", 9 - n);
    let text: String = (1..5)
        .map(state)
        .chain(["\nEpoch 1:   1%|   | 1/100 [00:00<00:09, 9.0it/s, train_loss=4.0]\n".to_owned()])
        .collect();
    check(
        &text,
        &expect![[r#"
        StepsPerSecond "steps/s": 1/e0=9.5 2/e0=9.5 3/e0=9.5 4/e0=9.5 1/e1=9
        Loss "train loss": 1/e0=8.5 2/e0=7.5 3/e0=6.5 4/e0=5.5 1/e1=4
    "#]],
    );
    check("Validation DataLoader 0:  50%|##  | 5/10 [00:00<00:01, 3.0it/s]\n", &expect![]);
}

#[test]
fn megatron() {
    let text = " [2026-11-20 11:01:40] iteration      100/  500000 | consumed samples:        25600 | elapsed time per iteration (ms): \
                1250.0 | throughput per GPU (TFLOP/s/GPU): 120.1 | learning rate: 1.5E-04 | global batch size:   256 | lm loss: \
                6.7E+00 | loss scale: 1.0 | grad norm: 1.234 | number of skipped iterations:   0 | number of nan iterations:   0 |\n\
                [Rank 3] (after 100 iterations) memory (MB) | allocated: 1234.5 | max allocated: 2345.0 | reserved: 3000.0 | max \
                reserved: 3000.0\n";
    check(
        text,
        &expect![[r#"
        StepsPerSecond "steps/s": 100=0.8
        LearningRate "learning rate": 100=0.0001
        Loss "lm loss": 100=6.7
        GradientNorm "grad norm": 100=1.234
        Allocated "allocated" rank 3: 100=1234M
        Allocated "max allocated" rank 3: 100=2345M
        Reserved "reserved" rank 3: 100=3000M
        Reserved "max reserved" rank 3: 100=3000M
    "#]],
    );
}

#[test]
fn torchtitan() {
    let text = "[rank0]:[titan] 2026-11-20 10:00:20,123 - root - INFO - step: 10  loss:  7.8901  grad_norm:  1.2345  memory: \
                38.50GiB(40.55%)  tps: 3,456  tflops: 120.10  mfu: 20.50%\n";
    check(
        text,
        &expect![[r#"
        Loss "loss" rank 0: 10=7.8901
        GradientNorm "grad norm" rank 0: 10=1.2345
        Used "memory" rank 0: 10=39424M
        TokensPerSecond "tps" rank 0: 10=3456
    "#]],
    );
}

#[test]
fn plain_lines() {
    let text = "step 100 loss 2.31 lr 1e-4\niter 200: loss 2.3012, time 125.00ms, mfu 30.10%\n\
                step  300/1000 | loss 3.2 (+0.10z)| norm 1.2 | lr 1.00e-04 | 125.00 ms | 45.0% bf16 MFU | 12345 tok/s\n\
                Epoch: [0]  [ 10/500]  eta: 0:05:00  lr: 0.001  loss: 1.2 (1.3)  time: 0.5  data: 0.01  max mem: 7168\n\
                Epoch(train)  [1][ 50/1000]  lr: 1.0e-03  eta: 1:00:00  time: 0.40  data_time: 0.01  memory: 7168  loss: 0.9\n";
    check(
        text,
        &expect![[r#"
        Loss "loss": 100=2.31 200=2.3012 300=3.2 10/e0=1.2 50/e1=0.9
        LearningRate "lr": 100=0.0001 300=0.0001 10/e0=0.001 50/e1=0.001
        StepsPerSecond "steps/s": 200=8 10/e0=2 50/e1=2.5
        GradientNorm "norm": 300=1.2
        TokensPerSecond "tokens/s": 300=12345
        Used "max mem": 10/e0=7168M
        Used "memory": 50/e1=7168M
    "#]],
    );
}

#[test]
fn deepspeed() {
    let text = "[2026-11-20 10:00:00,000] [INFO] [timer.py:260:stop] epoch=0/micro_step=10/global_step=10, \
                RunningAvgSamplesPerSec=12.5, CurrSamplesPerSec=12.75, MemAllocated=1.5GB, MaxMemAllocated=4.5GB\n\
                [2026-11-20 10:00:00,000] [INFO] [utils.py:782:see_memory_usage] MA 10.5 GB         Max_MA 11.0 GB         CA 12.0 GB\
                \x20        Max_CA 12 GB\n";
    check(
        text,
        &expect![[r#"
        SamplesPerSecond "running avg samples per sec": 10/e0=12.5
        SamplesPerSecond "curr samples per sec": 10/e0=12.75
        Allocated "mem allocated": 10/e0=1536M
        Allocated "max mem allocated": 10/e0=4608M
        Allocated "ma": 10/e0=10752M
        Allocated "max ma": 10/e0=11264M
        Reserved "ca": 10/e0=12288M
        Reserved "max ca": 10/e0=12288M
    "#]],
    );
}

#[test]
fn json_lines() {
    let text = "{\"step\": 10, \"loss\": 2.5, \"tokens_per_sec\": 1234.5, \"memory/max_mem_reserved(gib)\": 12.5}\n\
                {\"step\": 20, \"loss\": NaN, \"tokens_per_sec\": 1230.0, \"memory/max_mem_reserved(gib)\": 13.5}\n";
    check(
        text,
        &expect![[r#"
        Loss "loss": 10=2.5 20=NaN
        TokensPerSecond "tokens per sec": 10=1234.5 20=1230
        Reserved "memory max mem reserved": 10=12800M 20=13824M
    "#]],
    );
}

#[test]
fn tables() {
    let yolo = "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n      1/100      2.50G      1.352      2.1         20        640\n\
                \x20     2/100      2.75G      1.252      1.9         18        640\n";
    check(
        yolo,
        &expect![[r#"
        Used "gpu mem": e1=2560M e2=2816M
        Loss "box loss": e1=1.352 e2=1.252
        Loss "cls loss": e1=2.1 e2=1.9
    "#]],
    );
    let notebook = "Step\tTraining Loss\tValidation Loss\n500\tNo log\t2.5\n1000\t2.25\t2.0\n";
    check(
        notebook,
        &expect![[r#"
        ValidationLoss "validation loss": 500=2.5 1000=2
        Loss "training loss": 1000=2.25
    "#]],
    );
    let monitor = "index, memory.used [MiB], memory.total [MiB]\n0, 1000 MiB, 24576 MiB\n1, 2000 MiB, 24576 MiB\n0, 1100 MiB, 24576 MiB\n";
    check(
        monitor,
        &expect![[r#"
        Used "memory used" GPU 0: l2=1000M l4=1100M
        Total "memory total" GPU 0: l2=24576M l4=24576M
        Used "memory used" GPU 1: l3=2000M
        Total "memory total" GPU 1: l3=24576M
    "#]],
    );
    let table = "|   0  NAME OF GPU        On  | 00000000:01:00.0 Off |                  N/A |\n\
                 | 30%   45C    P2   100W / 350W |  12000MiB / 24576MiB |     98%      Default |\n";
    check(
        table,
        &expect![[r#"
        Total "total" GPU 0: l2=24576M
        Used "memory used" GPU 0: l2=12000M
    "#]],
    );
}

#[test]
fn what_is_no_reading() {
    for text in [
        "We saw a loss of 3 people, and memory leaks since 2.1.0",
        "pip install torch==2.8.0 --extra-index-url https://host/12",
        "loss scale: 65536.0 max_steps: 1000",
        "Traceback (most recent call last):\n  File \"a.py\", line 10, in step\n    loss = 3\nValueError: loss = 3",
    ] {
        let found = read(text);
        assert!(found.is_empty(), "{text}: {found}");
    }
}

#[test]
fn overwritten_states_are_read_as_a_terminal_shows_them() {
    let state = |n: u32| format!("Allocated: {n}.0 GiB\r");
    let plain: String = (10..13).map(state).collect();
    let expected = expect![[r#"
        Allocated "allocated": l1=10240M l1=11264M l1=12288M
    "#]];
    check(&format!("{plain}\n"), &expected);
    let coloured: String = (10..13).map(|n| format!("\u{1b}[A\u{1b}[2K\u{1b}[32m{}", state(n))).collect();
    check(&format!("{coloured}\n"), &expected);
}

/// Of a thousand ranks, most have no curve: they are counted, and their steps are known.
#[test]
fn what_has_no_room_is_counted() {
    let text: String = (0..3)
        .flat_map(|round| (0..1000).map(move |rank| (round, rank)))
        .map(|(round, rank)| format!("[rank{rank}]: step {} loss 2.5 lr 1e-4\n", 10 * round + rank % 7))
        .collect();
    let transcript = crate::text::read(text.as_bytes());
    let readings = readings(&transcript, &crate::incident::read(&transcript), text.as_bytes());
    let of = |quantity| readings.series.iter().filter(|series| series.quantity == quantity).count();
    let dropped = |quantity| readings.dropped(3).filter(|one| *one == quantity).count();
    for quantity in [Quantity::Loss, Quantity::LearningRate] {
        assert_eq!(of(quantity) + dropped(quantity), 1000);
    }
    assert_eq!(readings.dropped(4).count(), 0);
    let steps = readings.last_steps();
    assert_eq!((steps.len(), steps[&900]), (1000, f64::from(20 + 900 % 7)));
}

#[test]
fn no_row_without_a_reading() {
    let names = Names::builtin();
    let mut reader = Reader { names, out: Readings::default(), known: HashMap::new(), writers: HashMap::new() };
    reader.out.count = MOST_READINGS;
    let transcript = crate::text::read(b"loss 1\n");
    reader.line("loss 1", &transcript.line(0));
    assert!(reader.out.rows.is_empty());
    reader.out.count = 0;
    reader.line("batch size 12", &transcript.line(0));
    assert!(reader.out.rows.is_empty() && reader.out.batch_sizes == [12.0]);
    reader.line("loss 1 lr 2", &transcript.line(0));
    assert_eq!((reader.out.rows.len(), reader.out.count), (1, 2));
}

#[test]
fn many_names_and_many_numbers_are_bounded() {
    let names: String = (0..2000)
        .map(|n| {
            format!("step {n} name{}_loss: 1.5\n", char::from(b'a' + (n % 26) as u8).to_string().repeat(1 + n / 26))
        })
        .collect();
    let transcript = crate::text::read(names.as_bytes());
    let incident = crate::incident::read(&transcript);
    assert!(readings(&transcript, &incident, &[]).series.len() <= MOST_SERIES);
    let line = format!("loss {}\n", "1.5, loss ".repeat(5000));
    assert!(read(&line).len() < 200);
}
