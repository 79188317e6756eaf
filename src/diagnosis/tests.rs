//! Diagnoses of whole texts with the built-in book.

use super::*;
use crate::matching::SignatureSet;
use crate::pattern::COMPILED;
use crate::{incident, text};

fn with_book(check: impl FnOnce(&dyn Fn(&str) -> Diagnosis, &Book)) {
    let book = Book::new(true);
    let signatures = SignatureSet::of_book(&book);
    let library = Library { book: &book, signatures: &signatures, search: &NoReports };
    let answer = |text: &str| {
        let transcript = text::read(text.as_bytes());
        diagnose(&transcript, &incident::read(&transcript), library, &Measured::default())
    };
    check(&answer, &book);
}

const OUT_OF_MEMORY: &str = "Traceback (most recent call last):
  File \"train.py\", line 40, in step
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB
";

#[test]
fn a_page_is_compiled_once() {
    with_book(|answer, book| {
        let compiled = || COMPILED.with(std::cell::Cell::get);
        let first = answer(OUT_OF_MEMORY);
        let after_one = compiled();
        assert!(after_one > 0, "nothing of the page was asked");
        let page = book.fault(book.find(&first.fault.expect("an out-of-memory error").id).expect("a page"));
        let asks = measurable::asks_the_machine(page);
        assert_eq!(answer(OUT_OF_MEMORY).causes.len(), first.causes.len());
        assert_eq!((compiled(), measurable::asks_the_machine(page)), (after_one, asks));
    });
}

#[test]
fn what_another_rank_did_is_no_circumstance() {
    let rank = |rank: u32, line: &str| format!("[rank{rank}]: {line}\n");
    let text: String = OUT_OF_MEMORY
        .lines()
        .flat_map(|line| [rank(0, &line.replace("in step", "in evaluate")), rank(1, line)])
        .chain([rank(0, "ValueError: too late")])
        .collect();
    // Rank 1 is the one that the launcher names.
    let summary = "Root Cause (first observed failure):\n[0]:\n  time      : 2026-01-01_00:00:00\n  host      : h\n  \
                   rank      : 1 (local_rank: 1)\n  exitcode  : 1 (pid: 8)\n";
    with_book(|answer, _| {
        let fault = answer(&format!("{text}{summary}")).fault.expect("an out-of-memory error");
        assert_eq!((fault.rank, fault.circumstances.as_slice()), (Some(1), ["in backward".to_owned()].as_slice()));
    });
}

#[test]
fn a_loss_that_is_no_number_is_a_failure_at_any_level() {
    let step = |loss: &str| {
        format!("2026-05-11 10:02:03,004 - trainer - INFO - Epoch [1][50/1000] lr: 1.000e-02, loss: {loss}\n")
    };
    with_book(|answer, _| {
        let failed = answer(&format!("{}{}", step("2.3141"), step("nan").repeat(3)));
        assert_eq!(failed.fault.expect("a loss of NaN").id, "non-finite");
        assert_eq!(answer(&step("2.3141").repeat(4)).verdict, Verdict::NoError);
    });
}

#[test]
fn a_wish_or_a_change_that_names_a_failure_reports_none() {
    with_book(|answer, _| {
        for title in
            ["### Feature request: retry after CUDA out of memory", "[CI] loader: skip CUDA out of memory in tests"]
        {
            let text =
                format!("{title}\n\nWhen a trial dies with `torch.OutOfMemoryError`, another node could take it.\n");
            assert_eq!(answer(&text).verdict, Verdict::NoError, "{title}");
        }
        let problem = "CUDA out of memory\n\nWhen a trial starts, it dies with `torch.OutOfMemoryError`.\n";
        assert_ne!(answer(problem).verdict, Verdict::NoError);
    });
}

#[test]
fn an_entry_with_a_page_begins_with_the_action_of_the_situation() {
    let first = |diagnosis: &Diagnosis| diagnosis.actions.first().map(|action| action.id.clone()).unwrap_or_default();
    with_book(|answer, _| {
        let last_step =
            answer("The preview is fine, and at the last step every SDXL picture turns black on my GTX 1660.");
        assert_eq!(first(&last_step), "unlisted#black-images");
        let updated =
            answer("Black images only since I updated ComfyUI. Same workflow, same model, fine until yesterday.");
        assert_eq!(first(&updated), "unlisted#black-images-3");
    });
}

#[test]
fn a_warning_that_has_an_entry_is_a_failure_and_another_is_none() {
    let warning = |text: &str| format!("/opt/env/lib/python3.12/site-packages/x/y.py:608: UserWarning: {text}\n");
    with_book(|answer, _| {
        let sizes = "Using a target size (torch.Size([8])) that is different to the input size (torch.Size([8, 1])). This \
                     will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.";
        assert_ne!(answer(&warning(sizes)).verdict, Verdict::NoError);
        assert_eq!(answer(&warning("The parameter foo has a new default.")).verdict, Verdict::NoError);
    });
}

#[test]
fn sentences_in_which_nothing_is_recognized_are_told_what_to_add() {
    with_book(|answer, _| {
        let told = |text: &str| answer(text).notes.iter().any(|note| note == super::TELL_MORE);
        assert!(told("How do I install torch for CUDA 12?\n"));
        assert!(!told("step 3 loss 0.5\nstep 4 loss 0.4\n") && !told(""));
    });
}

#[test]
fn a_build_for_an_earlier_minor_version_is_no_conflict() {
    with_book(|answer, _| {
        let fault = |text: &str| answer(text).fault.map(|fault| fault.id);
        for beyond in [
            "RTX 3090 and torch 1.5.0 with cuda 10.1 fails at the first conv\n",
            "H100, torch 1.10.0, cuda 11.3. it does not run on the gpu\n",
            "My RTX 5090 with torch 2.4.0 does not work, nothing runs on it\n",
        ] {
            assert_eq!(fault(beyond).as_deref(), Some("no-kernel-image"), "{beyond}");
        }
        let hang = "pytorch 1.7.0, cuda 11.0, RTX 3060 Ti. the loop over the DataLoader never returns with num_workers=4, \
            no traceback, with num_workers=0 it works.\n";
        assert_eq!(fault(hang).as_deref(), Some("hang"));
    });
}

#[test]
fn what_a_server_logs_as_information_may_be_its_failure() {
    with_book(|answer, _| {
        let logged = "time=2025-02-10T11:28:30.991+08:00 level=INFO source=gpu.go:283 msg=\"looking up the GPU\" \
            error=\"cuda driver library failed to get device context 999\"\n";
        assert_eq!(answer(logged).fault.map(|fault| fault.id).as_deref(), Some("init-failed"));
        let well =
            "time=2025-02-10T11:28:30.991+08:00 level=INFO source=gpu.go:283 msg=\"looking up the GPU\" error=<nil>\n";
        assert_eq!(answer(well).verdict, Verdict::NoError);
    });
}

#[test]
fn nothing_is_surer_than_ninety_five_percent_from_a_text_alone() {
    with_book(|answer, _| {
        let sure = "OSError: You are trying to access a gated repo.\nMake sure to have access to it at \
            https://huggingface.co/meta-llama/Meta-Llama-3-8B-Instruct.\n403 Client Error.\nCannot access gated repo for url \
            https://huggingface.co/meta-llama/Meta-Llama-3-8B-Instruct/resolve/main/config.json.\n";
        assert_eq!(answer(sure).causes[0].probability, MOST_FROM_TEXT);
    });
}

#[test]
fn what_failed_may_be_told_beside_an_error_that_nobody_knows() {
    with_book(|answer, _| {
        let fault = |text: &str| answer(text).fault.map(|fault| fault.id);
        let cmake = "Failed to detect a default CUDA architecture.\n-- Configuring incomplete, errors occurred!\n";
        let traced = |file: &str| {
            format!(
                "Traceback (most recent call last):\n  File \"{file}\", line 356, in configure\n    raise Stop(msg)\n\
                 Stop: the build ended\n"
            )
        };
        let installer = [cmake, &traced("/venv/lib/python3.10/site-packages/skbuild/cmaker.py")].concat();
        assert_eq!(fault(&installer).as_deref(), Some("extension-build"));
        // What the person's own code raises is the failure.
        assert_eq!(fault(&[cmake, &traced("/home/me/project/train.py")].concat()), None);
        let module = "ERROR: Unable to open 'kernel/notes.conf' for copying (No such file or directory)\n\n\
            ERROR: Unable to load the kernel module 'nvidia.ko'.  This happens most frequently when this kernel module was \
            built against the wrong kernel sources.\n";
        assert_eq!(fault(module).as_deref(), Some("no-device"));
    });
}

#[test]
fn who_says_that_all_works_only_asks() {
    with_book(|answer, _| {
        let asks = "hi, one 3060 and one P40 in my box. ollama puts the embedding model on the P40, how do I move it to the other card? \
            everything works, I just want the slow card free for the evening.\n";
        assert_eq!(answer(asks).verdict, Verdict::NoError);
        let complains =
            asks.replace("everything works, ", "everything works, but since the update it crashes every night, ");
        assert_ne!(answer(&complains).verdict, Verdict::NoError);
    });
}

#[test]
fn a_post_in_which_nothing_failed_may_quote_an_error() {
    with_book(|answer, _| {
        let asks = "Feature request: it would be great if the trainer could halve the batch by itself and go on whenever it \
            meets `torch.OutOfMemoryError: CUDA out of memory`. Other frameworks offer that as an option. Would you accept a \
            pull request for it, and where should the option live?\n";
        let found = answer(asks);
        assert_eq!(found.verdict, Verdict::NoError);
        assert!(found.notes.iter().any(|note| note.contains("faultbook show oom")), "{:?}", found.notes);
        let has_it = "Since this morning my training dies after some steps with `torch.OutOfMemoryError: CUDA out of memory`. \
            Nothing was changed, batch size is 8 on a 3090. What can I do about it?\n";
        assert_eq!(answer(has_it).fault.map(|fault| fault.id).as_deref(), Some("oom"));
        // A program's output is no post, however well it reads.
        assert_ne!(answer("torch.OutOfMemoryError: CUDA out of memory\n").verdict, Verdict::NoError);
    });
}

#[test]
fn how_a_process_ended_counts_beside_a_sentence_without_errors() {
    with_book(|answer, _| {
        let text = "The nightly job ends with exit status 137. Its log has no error.\n";
        assert_eq!(answer(text).fault.map(|fault| fault.id).as_deref(), Some("host-oom"));
    });
}
