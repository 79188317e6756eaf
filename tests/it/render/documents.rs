//! Snapshots of an answer as a document: markdown, JSON.

use expect_test::expect;
use faultbook::render::{json, markdown};

use super::samples;

#[test]
fn as_markdown() {
    expect![[r#"
        # cuDNN found no engine for the computation

        `cudnn-no-engine` · confidence 97 % · in backward() · first step · epoch 0 (0/818) · `kb/faults/cudnn/cudnn-no-engine.md`

        Line 412:

        ```text
        RuntimeError: FIND was unable to find an engine to execute this computation after trying 14 plans
        ```

        Raised through `runners/train.py:88` in `train`

        ## Causes

        |  | Cause | Status |
        | --- | --- | --- |
        | 71 % | GPU memory is exhausted, no room for the cuDNN workspace (`memory-exhausted`) | supported: GPU 0 has 0.6 of 12.0 GiB free |
        | 14 % | A second libcudnn comes first on the path (`toolkit-mismatch`) | unverified |
        | 9 % | No kernel in this build for the GPU (`arch-unsupported`) | refuted: sm_86 is in the wheel |
        | 6 % | Dtype or layout not supported (`op-unsupported`) | unverified |
        | &lt;1 % | The driver is too old for the kernels of this cuDNN (`driver-old`) | unverified |

        **Next best check.** Run the same step with half the batch; if it passes, this is the cause.

        ```
        print(torch.cuda.mem_get_info(), torch.cuda.memory_reserved())
        ```

        ## What to do, in this order

        1\. **Halve the batch, keep the effective batch** (`reduce-batch`, for `memory-exhausted`)

        ```
        uv run python runners/train.py dataloaders.train_dataloader.batch_size=2 trainer.accumulate_grad_batches=2
        ```

        - trade-off: about twice the steps; results stay comparable.

        2\. **Turn off cuDNN benchmark mode** (`no-benchmark`, for `memory-exhausted`)

        3\. **Train in mixed precision** (`mixed-precision`, for `memory-exhausted`)

        4\. **Use smaller inputs** (`smaller-inputs`, for `memory-exhausted`)

        5\. **Use expandable segments** (`cudnn-no-engine#memory-exhausted#5`, for `memory-exhausted`)

        ## The causes in detail

        ### `memory-exhausted`: GPU memory is exhausted, no room for the cuDNN workspace

        - **for** (probe): GPU 0 has 0.6 of 12.0 GiB free; this job's pid 4312 uses 10.9 GiB
        - **for** (report): `batch_size=4` on an RTX 3060 12GB, report BUG-20251110-003 failed so
        - **for** (text, line 398): it fails in the backward pass, which needs the largest workspaces at the highest memory level
        - **against** (text): torch's own allocation did not fail before it

        **Check.** Run the same step with half the batch; if it passes, this is the cause.

        ```
        print(torch.cuda.mem_get_info(), torch.cuda.memory_reserved())
        ```

        **Fix**, cheapest first.

        - Halve the batch, keep the effective batch (`reduce-batch`)
        - Turn off cuDNN benchmark mode (`no-benchmark`)
        - Train in mixed precision (`mixed-precision`)
        - Use smaller inputs (`smaller-inputs`)
        - Use expandable segments (`cudnn-no-engine#memory-exhausted#5`)

        **Does not help.**

        - `torch.cuda.empty_cache()` in every step: the memory is in live tensors of this very process.
        - Reinstalling CUDA or the driver: nothing about them is wrong.

        ### `toolkit-mismatch`: A second libcudnn comes first on the path

        **Check.** List the libcudnn files that the process has really mapped after one convolution attempt; more than one directory or version is the cause.

        ### `arch-unsupported`: No kernel in this build for the GPU

        - **against** (probe): sm_86 is in the wheel

        ### `op-unsupported`: Dtype or layout not supported

        **Check.** Rerun the layer in FP32.

        ### `driver-old`: The driver is too old for the kernels of this cuDNN

        ## Easily confused with

        - `cudnn-execution-failed`: an engine was chosen and died while running.

        ## Matching reports

        | Report | Title | Status | Likeness | Why |
        | --- | --- | --- | --- | --- |
        | BUG-20251110-003 (`docs/bug_reports/BUG-20251110-003.md`) | cuDNN Workspace Memory Exhaustion on RTX 3060 | active | 0.93 | same error, same GPU, same cuDNN 91002 |
        | BUG-20251110-002 (`docs/bug_reports/BUG-20251110-002.md`) | cuDNN execution failed during training |  | 0.41 | same GPU |

        BUG-20251110-003: Reduce batch size and accumulate gradients

        ```
        trainer.accumulate_grad_batches=2
        ```

        ## Followed from it

        | Line | Fault | Why | Text |
        | --- | --- | --- | --- |
        | 415 | The GPU met an illegal instruction (`illegal-instruction`) | teardown | `text of illegal-instruction` |

        ## Looks alarming, is harmless

        | Line | Times | What it says |
        | --- | --- | --- |
        | 12 | 3 | TensorFlow announces cuBLAS factory registration at level E |

        ## Environment

        | Fact | Value | From | Name |
        | --- | --- | --- | --- |
        | GPU memory free when measured | 614.4 MiB | probe | `gpu.memory.free` |
        | GPU | NVIDIA GeForce RTX 3060 | probe | `gpu.name` |
        | WSL | no | probe | `os.wsl` |
        | PyTorch | 2.8.0+cu128 | text, line 2 | `torch.version` |
        | Uncorrected ECC errors | unknown | this board has no ECC | `gpu.ecc.uncorrected` |

        ## The machine (quick)

        - GPU 0 has 0.6 of 12.0 GiB free, pid 4312 uses 10.9 GiB

        ## Notes

        - decoded as UTF-16
    "#]].assert_eq(&markdown::render(&samples::known()));
}

#[test]
fn unlisted_as_markdown() {
    expect![[r#"
        # Not a failure in the book

        The error as the text has it (line 88, rank 1):

        ```text
        KeyError: 'gt_shrink'
        ```

        Raised through `ocr/data/collate.py:41` in `collate_fn`

        ## Matching reports

        | Report | Title | Status | Likeness | Why |
        | --- | --- | --- | --- | --- |
        | missing\_keys\_after\_augmentation\_2025 (`docs/bugs/missing keys.md`) | Missing keys after augmentation | resolved | 0.41 |  |

        ## Nearest pages of the book

        | Page | Title | Relative likeness |
        | --- | --- | --- |
        | `worker-crashed` | A data loading worker died | 1.00 |

        ## Followed from it

        | Line | Fault | Why | Text |
        | --- | --- | --- | --- |
        | 120 | A collective timed out (`nccl-timeout`) | other ranks | `text of nccl-timeout` |
        | 140 | A collective timed out (`nccl-timeout`) | other ranks | `text of nccl-timeout` |
        | 310 | Another process of the job died (`peer-exit`) | launcher | `text of peer-exit` |
    "#]].assert_eq(&markdown::render(&samples::unlisted()));
}

#[test]
fn as_json() {
    expect![[r#"
        {
          "schema": "faultbook/diagnosis/2",
          "verdict": "unlisted-error",
          "fault": null,
          "cascade": [
            {
              "id": "nccl-timeout",
              "title": "A collective timed out",
              "span": {
                "start": {
                  "line": 120,
                  "column": 1
                },
                "end": {
                  "line": 120,
                  "column": 21
                }
              },
              "text": "text of nccl-timeout",
              "why": "other ranks"
            },
            {
              "id": "nccl-timeout",
              "title": "A collective timed out",
              "span": {
                "start": {
                  "line": 140,
                  "column": 1
                },
                "end": {
                  "line": 140,
                  "column": 21
                }
              },
              "text": "text of nccl-timeout",
              "why": "other ranks"
            },
            {
              "id": "peer-exit",
              "title": "Another process of the job died",
              "span": {
                "start": {
                  "line": 310,
                  "column": 1
                },
                "end": {
                  "line": 310,
                  "column": 21
                }
              },
              "text": "text of peer-exit",
              "why": "launcher"
            }
          ],
          "error": {
            "type": "KeyError",
            "message": "'gt_shrink'",
            "frame": {
              "file": "ocr/data/collate.py",
              "line": 41,
              "function": "collate_fn"
            },
            "span": {
              "start": {
                "line": 88,
                "column": 1
              },
              "end": {
                "line": 88,
                "column": 23
              }
            },
            "rank": 1
          },
          "causes": [],
          "actions": [],
          "like_cases": [],
          "next_check": null,
          "reports": [
            {
              "id": "missing_keys_after_augmentation_2025",
              "title": "Missing keys after augmentation",
              "path": "docs/bugs/missing keys.md",
              "status": "resolved",
              "score": 0.41,
              "why": [],
              "solution": null,
              "command": null
            }
          ],
          "nearest": [
            {
              "id": "worker-crashed",
              "title": "A data loading worker died",
              "score": 1.0
            }
          ],
          "silent": [],
          "notices": [],
          "facts": {
            "known": {},
            "unknown": {}
          },
          "probe": null,
          "lines_read": 320,
          "notes": [],
          "environment": {}
        }
    "#]]
    .assert_eq(&json::render(&samples::unlisted()));
}
