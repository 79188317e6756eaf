//! Answers as people see them. `UPDATE_EXPECT=1 cargo test --test it render` rewrites them: read the difference.

use expect_test::{Expect, expect};
use faultbook::diagnosis::Diagnosis;
use faultbook::render::terminal::{self, Terminal};

use super::samples;

fn check(diagnosis: &Diagnosis, width: usize, expected: &Expect) {
    expected.assert_eq(&terminal::render(diagnosis, Terminal { width, color: false }));
}

#[test]
fn known_fault_at_80() {
    check(
        &samples::known(),
        80,
        &expect![[r#"
            cuDNN found no engine for the computation                        cudnn-no-engine
              line 412  RuntimeError: FIND was unable to find an ... after trying 14 plans
                        runners/train.py:88 in train, in backward(), first step, epoch 0
                        (0/818)

            Most likely: GPU memory is exhausted, no room for the cuDNN      supported  71 %
              workspace
              + GPU 0 has 0.6 of 12.0 GiB free; this job's pid 4312 uses 10.9 GiB      probe
              + batch_size=4 on an RTX 3060 12GB, report BUG-20251110-003 failed so   report
              + it fails in the backward pass, which needs the largest workspaces   line 398
                at the highest memory level
              - torch's own allocation did not fail before it                           text
              supported: GPU 0 has 0.6 of 12.0 GiB free

            Do this next: halve the batch, keep the effective batch
              uv run python runners/train.py dataloaders.train_dataloader.batch_size=2 \
                  trainer.accumulate_grad_batches=2
              Trade-off: about twice the steps; results stay comparable.
              If that is not enough: turn off cuDNN benchmark mode; train in mixed
              precision; use smaller inputs; 1 more.

            To be sure: run the same step with half the batch; if it passes, this is the
              cause.
              print(torch.cuda.mem_get_info(), torch.cuda.memory_reserved())

            Your team met this before
              BUG-20251110-003  cuDNN Workspace Memory Exhaustion on RTX 3060   active  0.93
                                same error, same GPU, same cuDNN 91002
                                its fix: reduce batch size and accumulate gradients
                                  trainer.accumulate_grad_batches=2
              BUG-20251110-002  cuDNN execution failed during training                  0.41
                                same GPU

            Other causes                                                        how to check
              14 %  A second libcudnn comes first on the path
                      List the libcudnn files that the process has really mapped after one
                      convolution attempt; more than one directory or version is the cause
               9 %  No kernel in this build for the GPU       refuted: sm_86 is in the wheel
               6 %  Dtype or layout not supported                    Rerun the layer in FP32
                    and 1 less likely one

            This machine, asked just now (quick)
              GPU 0 has 0.6 of 12.0 GiB free, pid 4312 uses 10.9 GiB

            Not the cause: line 415, the GPU met an illegal instruction; it follows
              (teardown).
            Easily confused with: cudnn-execution-failed: an engine was chosen and died
              while running.
            Does not help: torch.cuda.empty_cache() in every step; reinstalling CUDA or the
              driver.
            Looks bad, is harmless: line 12, TensorFlow announces cuBLAS factory
              registration at level E (3x).
            Note: decoded as UTF-16
            More: faultbook show cudnn-no-engine             faultbook show BUG-20251110-003
        "#]],
    );
}

#[test]
fn known_fault_at_60() {
    check(
        &samples::known(),
        60,
        &expect![[r#"
            cuDNN found no engine for the computation    cudnn-no-engine
              line 412  RuntimeError: FIND was unable ... 14 plans
                        runners/train.py:88 in train, in backward(),
                        first step, epoch 0 (0/818)

            Most likely: GPU memory is exhausted, no     supported  71 %
              room for the cuDNN workspace
              + GPU 0 has 0.6 of 12.0 GiB free; this job's pid     probe
                4312 uses 10.9 GiB
              + batch_size=4 on an RTX 3060 12GB, report          report
                BUG-20251110-003 failed so
              + it fails in the backward pass, which needs the  line 398
                largest workspaces at the highest memory level
              - torch's own allocation did not fail before it       text
              supported: GPU 0 has 0.6 of 12.0 GiB free

            Do this next: halve the batch, keep the effective batch
              uv run python runners/train.py \
                  dataloaders.train_dataloader.batch_size=2 \
                  trainer.accumulate_grad_batches=2
              Trade-off: about twice the steps; results stay comparable.
              If that is not enough: turn off cuDNN benchmark mode;
              train in mixed precision; use smaller inputs; 1 more.

            To be sure: run the same step with half the batch; if it
              passes, this is the cause.
              print(torch.cuda.mem_get_info(), \
                  torch.cuda.memory_reserved())

            Your team met this before
              BUG-20251110-003  cuDNN Workspace Memory      active  0.93
                                Exhaustion on RTX 3060
                                same error, same GPU, same cuDNN 91002
                                its fix: reduce batch size and
                                  accumulate gradients
                                  trainer.accumulate_grad_batches=2
              BUG-20251110-002  cuDNN execution failed during       0.41
                                training
                                same GPU

            Other causes                                    how to check
              14 %  A second libcudnn comes first on the path
                      List the libcudnn files that the process has
                      really mapped after one convolution attempt; more
                      than one directory or version is the cause
               9 %  No kernel in this build for the GPU
                      refuted: sm_86 is in the wheel
               6 %  Dtype or layout not supported
                      Rerun the layer in FP32
                    and 1 less likely one

            This machine, asked just now (quick)
              GPU 0 has 0.6 of 12.0 GiB free, pid 4312 uses 10.9 GiB

            Not the cause: line 415, the GPU met an illegal instruction;
              it follows (teardown).
            Easily confused with: cudnn-execution-failed: an engine was
              chosen and died while running.
            Does not help: torch.cuda.empty_cache() in every step;
              reinstalling CUDA or the driver.
            Looks bad, is harmless: line 12, TensorFlow announces cuBLAS
              factory registration at level E (3x).
            Note: decoded as UTF-16
            More: faultbook show cudnn-no-engine
                  faultbook show BUG-20251110-003
        "#]],
    );
}

#[test]
fn known_fault_at_120() {
    check(
        &samples::known(),
        120,
        &expect![[r#"
            cuDNN found no engine for the computation                                                                cudnn-no-engine
              line 412  RuntimeError: FIND was unable to find an engine to execute this computation after trying 14 plans
                        runners/train.py:88 in train, in backward(), first step, epoch 0 (0/818)

            Most likely: GPU memory is exhausted, no room for the cuDNN workspace                                    supported  71 %
              + GPU 0 has 0.6 of 12.0 GiB free; this job's pid 4312 uses 10.9 GiB                                              probe
              + batch_size=4 on an RTX 3060 12GB, report BUG-20251110-003 failed so                                           report
              + it fails in the backward pass, which needs the largest workspaces at the highest memory level               line 398
              - torch's own allocation did not fail before it                                                                   text
              supported: GPU 0 has 0.6 of 12.0 GiB free

            Do this next: halve the batch, keep the effective batch
              uv run python runners/train.py dataloaders.train_dataloader.batch_size=2 trainer.accumulate_grad_batches=2
              Trade-off: about twice the steps; results stay comparable.
              If that is not enough: turn off cuDNN benchmark mode; train in mixed precision; use smaller inputs; 1 more.

            To be sure: run the same step with half the batch; if it passes, this is the cause.
              print(torch.cuda.mem_get_info(), torch.cuda.memory_reserved())

            Your team met this before
              BUG-20251110-003  cuDNN Workspace Memory Exhaustion on RTX 3060                                           active  0.93
                                same error, same GPU, same cuDNN 91002
                                its fix: reduce batch size and accumulate gradients
                                  trainer.accumulate_grad_batches=2
              BUG-20251110-002  cuDNN execution failed during training                                                          0.41
                                same GPU

            Other causes                                                                                                how to check
              14 %  A second libcudnn comes first on the path
                      List the libcudnn files that the process has really mapped after one convolution attempt; more than one
                      directory or version is the cause
               9 %  No kernel in this build for the GPU                                               refuted: sm_86 is in the wheel
               6 %  Dtype or layout not supported                                                            Rerun the layer in FP32
                    and 1 less likely one

            This machine, asked just now (quick)
              GPU 0 has 0.6 of 12.0 GiB free, pid 4312 uses 10.9 GiB

            Not the cause: line 415, the GPU met an illegal instruction; it follows (teardown).
            Easily confused with: cudnn-execution-failed: an engine was chosen and died while running.
            Does not help: torch.cuda.empty_cache() in every step; reinstalling CUDA or the driver.
            Looks bad, is harmless: line 12, TensorFlow announces cuBLAS factory registration at level E (3x).
            Note: decoded as UTF-16
            More: faultbook show cudnn-no-engine                                                     faultbook show BUG-20251110-003
        "#]],
    );
}

#[test]
fn unlisted_error() {
    check(
        &samples::unlisted(),
        80,
        &expect![[r#"
            Not a failure in the book: KeyError: 'gt_shrink'
              line 88   ocr/data/collate.py:41 in collate_fn                        (rank 1)

            Nearest in your reports
              missing_keys_after_augmentation_2025
                Missing keys after augmentation                               resolved  0.41

            Nearest pages of the book, none of them certain
              worker-crashed  A data loading worker died

            Not the cause: 3 lines that follow: a collective timed out, line 120, 140 (other
              ranks); another process of the job died, line 310 (launcher).
            More: faultbook show missing_keys_after_augmentation_2025
        "#]],
    );
}

#[test]
fn no_error() {
    check(
        &samples::healthy(),
        80,
        &expect![[r#"
            No failure found in 5,298 lines. 2 warnings that look alarming but are harmless:
              line 12   TensorFlow announces cuBLAS factory registration at level E at every
                        start
              line 1234  the c10d store prefers IPv4                                     16x
        "#]],
    );
    check(
        &samples::empty(),
        80,
        &expect![[r#"
        Nothing to diagnose: the text is empty.
    "#]],
    );
}

#[test]
fn wide_characters() {
    check(
        &samples::wide(),
        60,
        &expect![[r#"
            cuDNN found no engine for the computation    cudnn-no-engine
              line 412  RuntimeError: 그래픽 카드의 ... (장치 0)
                        runners/train.py:88 in train, in backward(),
                        first step, epoch 0 (0/818)

            Most likely: GPU memory is exhausted, no     supported  71 %
              room for the cuDNN workspace
              + GPU 0 has 0.6 of 12.0 GiB free; this job's pid     probe
                4312 uses 10.9 GiB
              + batch_size=4 on an RTX 3060 12GB, report          report
                BUG-20251110-003 failed so
              + it fails in the backward pass, which needs the  line 398
                largest workspaces at the highest memory level
              - torch's own allocation did not fail before it       text
              supported: GPU 0 has 0.6 of 12.0 GiB free

            Do this next: halve the batch, keep the effective batch
              uv run python runners/train.py \
                  dataloaders.train_dataloader.batch_size=2 \
                  trainer.accumulate_grad_batches=2
              Trade-off: about twice the steps; results stay comparable.
              If that is not enough: turn off cuDNN benchmark mode;
              train in mixed precision; use smaller inputs; 1 more.

            To be sure: run the same step with half the batch; if it
              passes, this is the cause.
              print(torch.cuda.mem_get_info(), \
                  torch.cuda.memory_reserved())

            Your team met this before
              BUG-20251110-003  컨볼루션 역전파에서 작업    active  0.93
                                공간 메모리 부족으로
                                학습이 중단됨
                                같은 오류, 같은 그래픽 카드
                                its fix: reduce batch size and
                                  accumulate gradients
                                  trainer.accumulate_grad_batches=2

            Other causes                                    how to check
              14 %  A second libcudnn comes first on the path
                      List the libcudnn files that the process has
                      really mapped after one convolution attempt; more
                      than one directory or version is the cause
               9 %  No kernel in this build for the GPU
                      refuted: sm_86 is in the wheel
               6 %  Dtype or layout not supported
                      Rerun the layer in FP32
                    and 1 less likely one

            This machine, asked just now (quick)
              GPU 0 has 0.6 of 12.0 GiB free, pid 4312 uses 10.9 GiB

            Not the cause: line 415, the GPU met an illegal instruction;
              it follows (teardown).
            Easily confused with: cudnn-execution-failed: an engine was
              chosen and died while running.
            Does not help: torch.cuda.empty_cache() in every step;
              reinstalling CUDA or the driver.
            Looks bad, is harmless: line 12, TensorFlow announces cuBLAS
              factory registration at level E (3x).
            Note: decoded as UTF-16
            More: faultbook show cudnn-no-engine
                  faultbook show BUG-20251110-003
        "#]],
    );
}
