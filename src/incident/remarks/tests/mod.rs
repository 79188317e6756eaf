//! What is read as a remark, and what is not.

use super::*;
use crate::pattern::Pattern;

mod languages;

/// What a sentence says, as facts without `writer.`.
fn said(text: &str) -> Vec<String> {
    let name = |fact: &str| fact.trim_start_matches("writer.").to_owned();
    let words = |said| match said {
        Said::Yes(fact) => name(fact),
        Said::Is(fact, value) => format!("{}={value}", name(fact)),
        Said::Tried(action) => format!("tried={action}"),
    };
    REMARKS.said(text).into_iter().map(words).collect()
}

#[test]
fn what_people_say() {
    for (text, expected) in [
        ("the same script works on CPU", "works_on_cpu"),
        ("CPU 上跑完全正常", "works_on_cpu"),
        ("It worked with torch 2.0.1 on the same box", "works_on_other_version"),
        ("Works fine on 1.12.1, fails on 2.0", "works_on_other_version"),
        ("Downgrading to 0.4.2 fixed it for me", "works_on_other_version"),
        ("换成 torch 1.10 版本就好了", "works_on_other_version"),
        ("it started after I updated the driver", "began_with_update"),
        ("After upgrading to torch 2.3 every run dies like this", "began_with_update"),
        ("升级驱动之后就开始报错", "began_with_update"),
        ("runs fine with batch size 2", "works_smaller"),
        ("tried three cards, seq_len<=1024 works everywhere", "works_smaller"),
        ("单卡训练没问题，多卡就报错", "works_on_one_gpu"),
        ("# the same two lines with cuda:0 work", "works_on_first_gpu"),
        ("works without problems on cuda:0", "works_on_first_gpu"),
        ("the card works in another machine fine on another machine", "works_elsewhere"),
        ("It always happens on the same GPU", "one_card_only"),
        ("crashes randomly, at a different step each time", "intermittent"),
        ("训练偶尔会报这个错", "intermittent"),
        ("training stops after about 6 hours", "after_hours"),
        ("I have to reboot the machine before nvidia-smi shows it", "needs_reboot"),
        ("必须重启服务器才能再看到卡", "needs_reboot"),
        ("it fails every time on the same image", "same_input"),
        ("with fp32 it works, fp16 gives nan; float32 works", "works_in_fp32"),
        ("No error with --enforce-eager or in eager mode", "works_eager"),
        ("the error disappears with CUDA_LAUNCH_BLOCKING=1", "works_blocking"),
        ("yesterday I pressed Ctrl+C during the training", "interrupted_before"),
        ("It started after upgrading torch.", "began_with_update"),
        ("The very same script runs fine with torch 2.3.1 here.", "works_on_other_version"),
        ("the same image with NCCL 2.27.7 works", "works_on_other_version"),
        ("I had to downgrade to make it go.", "works_on_other_version"),
        ("升级到 2.4 之后就报错", "began_with_update"),
        ("旧版本没问题", "works_on_other_version"),
        ("With a batch size of 2 it works.", "works_smaller"),
        ("reducing the image size fixes it", "works_smaller"),
        ("把batch改小就可以了", "works_smaller"),
        ("The network runs without trouble, no errors on the CPU.", "works_on_cpu"),
        ("换成 CPU 就没问题", "works_on_cpu"),
        ("works on the GTX 1080 machine, fails on the new one", "works_elsewhere"),
        ("It crashes randomly, never at the same batch", "intermittent"),
        ("The job dies after about 6 hours", "after_hours"),
        ("训练大概跑了三个小时就崩了", "after_hours"),
        ("I had another notebook open", "other_process"),
        ("显卡被占用了，有别人的进程", "other_process"),
        ("A reboot of the box fixes it for a day", "needs_reboot"),
        ("重启之后就好了", "needs_reboot"),
    ] {
        assert!(said(text).contains(&expected.to_owned()), "{text}: {:?}", said(text));
    }
}

#[test]
fn denials_and_machines() {
    for text in [
        "does not work on CPU either",
        "it should work on cpu",
        "downgrading to torch 2.0 did not help",
        "Epoch 3 runs in 3.5 hours",
        "after updating the driver it still fails",
        "even after I upgraded to 2.1",
        "升级驱动之后还是报错",
        "Using random seed 42",
        "You are running on PyTorch 2.1",
        "the checkpoint was trained with torch 1.6",
        "I am working with torch 2.1",
        "Running on CPU",
        "the smaller model is not available",
        "2048/4096 tokens on the same sample",
        "换成 torch 1.10 版本也不行",
        "It does not work with torch 2.3.1 either.",
        "A smaller batch did not help, same error on the CPU",
        "换成小的 batch 还是报错",
        "torch 2.3.1, driver 550.54, Ubuntu 22.04",
        "Training on 4 GPUs with batch size 32",
        "in an upcoming release, it will be required to pass the indexing argument",
    ] {
        let said: Vec<String> = said(text).into_iter().filter(|fact| !is_failure(fact)).collect();
        assert_eq!(said, Vec::<String>::new(), "{text}");
    }
    assert!(!is_said("UserWarning: fp16 works only on CUDA"));
    assert!(!is_said("works"));
    assert!(is_said("it takes 20 s/it on a 3060, on the other PC 2 s/it") && is_said("每步 20s/it，之前 2s/it"));
    assert!(is_said("with NCCL_DEBUG=INFO nothing more is printed") && !is_said("rank0: INFO all is set up"));
    assert!(!is_said("Epoch 3: 14.1it/s, loss 0.61") && !is_said("it goes on: 12%|#  | 3/25 [00:01<00:09, 2.4it/s]"));
    let said = "it works on the CPU";
    assert!(is_said(said) && !is_said(&format!("{}{said}", " ".repeat(1000))));
}

/// Whether it says what fails or what did not help.
fn is_failure(fact: &str) -> bool {
    fact.starts_with("fails_") || fact.starts_with("tried=")
}

#[test]
fn every_pattern_compiles() {
    let source = wording::statements();
    for language in &source.languages {
        let wordings =
            [Some(&language.works), Some(&language.fails), Some(&language.useless), language.avoids.as_ref()];
        let wordings: Vec<_> = wordings.into_iter().flatten().collect();
        let own = [Some(language.denies), Some(language.supposes), language.advises, language.reverses];
        let unless = language.statement.iter().map(|row| row.unless);
        for pattern in wordings.iter().map(|it| Some(it.pattern)).chain(own).chain(unless).flatten() {
            assert!(Pattern::check(pattern).is_ok(), "{pattern}: {:?}", Pattern::check(pattern));
        }
        let rows = language.statement.iter().map(|row| (row.words, row.pattern));
        for (words, pattern) in rows.chain(wordings.iter().map(|it| (it.words, it.pattern))) {
            let full = pattern.replace("{works}", language.works.pattern);
            assert!(Pattern::check(&full).is_ok(), "{pattern}: {:?}", Pattern::check(&full));
            let is_word = |word: &str| !word.is_empty() && word.to_lowercase() == word;
            assert!(words.split(['|', '&']).all(is_word), "{words}");
            assert!(words.split('&').count() < 7, "more groups than bits: {words}");
        }
    }
    let stated = |fact: &str| source.languages.iter().flat_map(|it| &it.statement).any(|row| row.fact == Some(fact));
    assert!(source.blunt.iter().all(|fact| stated(fact)));
}

#[test]
fn what_was_tried_is_a_recipe_of_the_book() {
    let recipes = std::fs::read_dir("kb/fixes").expect("the book has recipes");
    let recipes: Vec<_> =
        recipes.flatten().map(|file| file.path().file_stem().map(std::ffi::OsStr::to_owned)).collect();
    for row in wording::statements().languages.iter().flat_map(|it| &it.statement) {
        let Some(tried) = row.tried else { continue };
        assert!(recipes.contains(&Some(tried.into())), "{tried}");
    }
}

#[test]
#[cfg(feature = "os")]
fn a_new_wording_is_a_row_of_data() {
    let row = "[[statement]]\nfact = \"writer.works_on_cpu\"\nwords = \"prosesor\"\n\
               pattern = 'berjalan di prosesor'\n";
    let english = format!("{}\n{row}", include_str!("../../../../kb/wording/statements/english.toml"));
    let shared = include_str!("../../../../kb/wording/statements.toml");
    let source = wording::source::statements(shared, [("english", english)]).expect("the files read");
    let line = "skrip ini berjalan di prosesor";
    assert_eq!(Remarks::new(&source).said(line), [Said::Yes("writer.works_on_cpu")]);
    assert_eq!(said(line), Vec::<String>::new());
}
