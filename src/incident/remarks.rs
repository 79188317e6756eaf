//! What the person who pasted the text says of it in words: what works, where it fails, what was tried. Facts `writer.*`.
//!
//! It reads statements about circumstances only, clause by clause, and drops every clause that denies; it does not try
//! to understand opinions about causes. The surprising thing: such words stand above or below the machine's output, so
//! only the ends of a long text are looked at.

use std::sync::LazyLock;

use super::{Incident, Role};
use crate::facts::{Source, Value};
use crate::pattern::Pattern;
use crate::transcript::Transcript;

/// Lines at the head and the tail that are looked at.
const HEAD: usize = 150;
const TAIL: usize = 300;

/// "it works", in the tenses people use.
const WORKS: &str = r"(?i)\b(works?|worked|working (fine|well|ok)|runs|ran|can run|trains|succeeds?|succeeded|fine|ok|okay|no (error|problem|issue|crash)\w*|(disappear|vanish)(s|ed)|goes away|went away)\b";

/// 正常 and its kin.
const GOOD: &str = "(正常|没问题|没有问题|可以跑|能跑|就好|就行|不报错|不会报错|就可以|解决|動きます|問題な)";

/// A statement: the fact it makes known, and what says so. `W` stands for [`WORKS`], `G` for [`GOOD`].
const STATEMENTS: &[(&str, &str)] = &[
    ("writer.works_on_cpu", r"W.{0,30}\b(on|with|using|in) (the )?(cpu\b|device ?= ?.?cpu|map_location)"),
    (
        "writer.works_on_cpu",
        r"(?i)\b(on|with|using) (the )?cpu,? (it|this|everything|the same \w+)? ?(works|runs|is fine)|\bcpu (works|runs|is fine|is ok)",
    ),
    ("writer.works_on_cpu", r"(?i)cpu ?(上|下|模式|跑|推理|训练)?.{0,18}G"),
    (
        "writer.works_on_other_version",
        r"W.{0,30}\b(on|with|in|under|after|using|before)\b.{0,30}\b(torch|pytorch|cuda|driver|version|tensorflow|tf|jax|jaxlib|triton|vllm|transformers|diffusers|release|cudnn|nccl|tensorrt|ver\.?)[ =v-]*\d+",
    ),
    (
        "writer.works_on_other_version",
        r"W.{0,20}\b(on|with|in|under|using) (an? |the )?(v?\d+\.\d+(\.\d+)?(\+cu\d+)?([,;)]|\.?$| (and|but|it|too|without|with|just)\b)|old(er)? |previous |earlier |newer |latest |nightly)",
    ),
    (
        "writer.works_on_other_version",
        r"(?i)\b(downgrad|upgrad|updat|revert|roll(ed|ing)? back)\w*\b.{0,50}\b(fix|solv|help|work|resolv|go(es)? away|went away)",
    ),
    (
        "writer.works_on_other_version",
        r"(?i)\b(fix|solv|resolv)ed (it |this )?(by|after|with|when) (an? )?(downgrad|upgrad|updat|revert)|bisect|first bad commit",
    ),
    (
        "writer.works_on_other_version",
        r"(换|降|退|升|回退|降级|升级|改用)(成|到|回|为|用)?.{0,40}(\d+\.\d+|版本).{0,24}G",
    ),
    (
        "writer.began_with_update",
        r"(?i)\b(since|after|when|once)\b.{0,25}\b(upgrad|updat)\w+|\b(worked|fine|ok) (until|before) .{0,30}(upgrad|updat)|\bnew (driver|kernel|release)\b.{0,20}(install|since|after)",
    ),
    ("writer.began_with_update", r"(升级|更新).{0,40}(后|以后|之后).{0,30}(报错|出现|就|不能|崩|失败)"),
    (
        "writer.works_smaller",
        r"W.{0,30}\b(with|on|at|for|if|when)\b.{0,25}\b(small|fewer|less|short|reduced|lower|tiny|batch[ _]?size ?(=|of|to|is)? ?\d|batch (of )?\d)",
    ),
    (
        "writer.works_smaller",
        r"(?i)\b(reduc|lower|decreas|shrink|halv)\w*\b.{0,40}\b(fix|work|help|avoid|solv|go(es)? away)",
    ),
    (
        "writer.works_smaller",
        r"(?i)(<=?|≤|\bup to|\bbelow|\bunder|\bless than) ?\d+\w* .{0,12}\b(works?|is fine|are fine|is ok|runs|fits?)\b",
    ),
    ("writer.works_smaller", r"(调小|减小|改小|降低|小一点|减少|(设|改)(为|成) ?\d).{0,30}G"),
    (
        "writer.works_on_one_gpu",
        r"W.{0,30}\b(on|with|using) (only )?(a |the )?(single|one|1)[ -]?(gpu|card|device|process|rank)",
    ),
    (
        "writer.works_on_one_gpu",
        r"(?i)\b(single|one|1)[ -](gpu|card)( training| run| mode)?,? (it )?(works|runs|is fine|is ok)",
    ),
    ("writer.works_on_one_gpu", r"(?i)(单卡|单张卡|单 ?gpu|一张卡).{0,18}G"),
    ("writer.works_on_first_gpu", r#"W.{0,25}(cuda:0|\bgpu ?#?0\b|\bdevice 0\b|\bfirst (gpu|card|device))"#),
    (
        "writer.works_on_first_gpu",
        r#"(?i)(cuda:0|\bgpu ?#?0\b|\bfirst (gpu|card))\W{0,4}(it |this )?(works?|is fine|is ok|runs?)\b"#,
    ),
    ("writer.works_on_first_gpu", r#"(?i)(cuda:0|0 ?号卡|gpu ?0|第一张卡).{0,15}G"#),
    (
        "writer.works_elsewhere",
        r"W.{0,25}\b(on|in|with) (an?other|a different|the other|other|my other|all (the )?other|a second) (machine|computer|pc|box|server|node|card|gpu|host|system|laptop)",
    ),
    (
        "writer.works_elsewhere",
        r"(?i)\b(an?other|the other|other|different) (machine|computer|pc|server|node|card|gpu|host)s?( with the same \w+)?,? (it )?(works?|is fine|are fine|runs?)\b",
    ),
    (
        "writer.works_elsewhere",
        r"(?i)(其他|别的|另(外)?一|另外的|换(了)?(一)?).{0,9}(卡|机器|显卡|服务器|电脑).{0,15}G",
    ),
    (
        "writer.one_card_only",
        r"(?i)\b(only|always|every time)\b.{0,20}\b(on|with) (this (card|gpu|node)|(the )?same (card|gpu|node)|one (card|gpu|node|of the (cards|gpus))|that (card|gpu|node)|gpu ?#?\d|card ?#?\d|rank ?\d|node\w*\d)",
    ),
    ("writer.one_card_only", r"(?i)(只有|总是|每次都是|都是).{0,15}(这|那|同一|第).{0,6}(张|块)?.{0,4}(卡|gpu|显卡)"),
    (
        "writer.intermittent",
        r"(?i)\b(random(ly)?|intermittent(ly)?|sporadic(ally)?|occasional(ly)?|sometimes|not always|non-?determinis\w+)\b.{0,40}\b(crash|fail|stop|die|happen|occur|error|work|appear|hang)",
    ),
    (
        "writer.intermittent",
        r"(?i)\b(crash|fail|stop|die|happen|occur|error|appear)\w*\b.{0,30}\b(randomly|at random|sporadically|intermittently|occasionally|sometimes|different (step|epoch|iteration|place|line|layer|time)s?)",
    ),
    ("writer.intermittent", r"偶尔|偶发|随机(出现|报错|崩|在|的地方)|有时(候)?(会|能|可以|报)|不定时|时不时"),
    (
        "writer.after_hours",
        r"(?i)\b(crash|fail|die|stop|happen|occur|error|kill|hang|runs?|ran|works?|fine|trains?|training|get|gets)\w*\b.{0,40}\b(after|for)\b.{0,20}\b(hours?|hrs?|days?|h)\b",
    ),
    (
        "writer.after_hours",
        r"(?i)\bafter\b.{0,20}\b(hours?|hrs?|days?)\b.{0,40}\b(crash|fail|die|stop|happen|occur|error|kill|hang)",
    ),
    ("writer.after_hours", r"(跑|训练|运行|用)(了|到)?.{0,15}(小时|天).{0,24}(报错|崩|挂|出现|就|死)"),
    (
        "writer.needs_reboot",
        r"(?i)\b(reboot|restart|power.?cycl)\w*\b.{0,40}\b(help|fix|solve|work|recover|until|required|needed|necessary|only way)|\b(only|until|need|have|must|requires?|had)\b.{0,25}\b(reboot|power.?cycle|restart the (machine|server|computer|host|node|system|pc))",
    ),
    (
        "writer.needs_reboot",
        r"重启.{0,6}(服务器|电脑|机器|系统|主机).{0,30}(才|就|恢复|好|正常|能)|(必须|只能|需要|要)重启.{0,6}(服务器|电脑|机器|系统|主机)",
    ),
    (
        "writer.same_input",
        r"(?i)\b(always|every time|each time|again|reproducib\w+)\b.{0,30}\b(the )?(same|this|that|one particular|a certain|a specific) (image|sample|batch|file|shard|record|step|iteration|example|video|row)",
    ),
    ("writer.same_input", r"每次都?(在|是|卡在)?.{0,9}(同一|相同|这)(个|张|条|步)"),
    (
        "writer.works_in_fp32",
        r"W.{0,30}\b(fp32|float32|full precision|bf16|bfloat16|(without|no|disabling) (amp|autocast|fp16|mixed.precision|half))",
    ),
    (
        "writer.works_in_fp32",
        r"(?i)\b(fp32|float32|bf16|bfloat16|full precision)\b,? (it )?(works|is fine|is ok|runs|is stable)|\b(disabl|turn|switch)\w+ (off )?(amp|autocast|fp16|mixed.precision)\b.{0,25}\b(fix|work|help|solv)",
    ),
    (
        "writer.works_in_fp32",
        r"(?i)(关(掉|闭|了)|不用|不开|换(成|回|用)|改(成|用)) ?(amp|fp16|半精度|混合精度|fp32|bf16|float32).{0,24}G",
    ),
    (
        "writer.works_eager",
        r"W.{0,30}\b(eager|without.{0,12}(compile|cuda.?graphs?|flash|xformers|triton|inductor)|(disabl\w+|no) .{0,12}(compile|cuda.?graphs?|flash))",
    ),
    ("writer.works_eager", r"(?i)\b(enforce[-_]eager|eager mode)\b.{0,20}\b(works|fix|helps|is fine)"),
    (
        "writer.works_eager",
        r"(?i)(关(掉|闭|了)|去掉|不用|不开|加(上|了)) ?.{0,12}(compile|cuda ?graph|flash|eager|xformers).{0,24}G",
    ),
    (
        "writer.works_blocking",
        r"W.{0,40}CUDA_LAUNCH_BLOCKING|(?i)CUDA_LAUNCH_BLOCKING( ?= ?1)?,? .{0,15}(works|fine|no error|disappear|goes away)",
    ),
    (
        "writer.interrupted_before",
        r"(?i)(ctrl ?[+-] ?[cz]\b|\^[CZ]\b|\binterrupt|\bkill|\bcrash|\bstopped|\babort)\w*\b.{0,50}\b(previous|before|earlier|yesterday|last (run|time)|first run|then)\b|\b(previous|last|earlier|old|yesterday|first) .{0,12}(run|process|job|training|session|kernel|notebook)\b.{0,40}\b(still|interrupt|crash|hold|occup|alive|zombie|kill)|\b(yesterday|earlier|before)\b.{0,30}(ctrl ?[+-] ?[cz]\b|\binterrupted)",
    ),
    (
        "writer.interrupted_before",
        r"(?i)(上次|之前|昨天|前面).{0,18}(ctrl|中断|没退|没有退|没结束|异常退出|杀掉|残留)|僵尸进程",
    ),
];

/// A clause that denies what it says.
const DENIES: &str = r"(?i)\b(not|never|nor|neither|cannot|without (success|luck)|no longer|fails?|failed|instead of|should|supposed|only (works|runs)|if it|whether|does it|did it|please)\b|n[o']t\b|不(能|行|可以)|没(用|效)|无效|也(报错|不行|一样)";

struct Statement {
    fact: &'static str,
    pattern: Pattern,
}

static PATTERNS: LazyLock<Vec<Statement>> = LazyLock::new(|| {
    let full = |source: &str| match source.strip_prefix('W') {
        Some(rest) => format!("{WORKS}{rest}"),
        None => match source.strip_suffix('G') {
            Some(rest) => format!("{rest}{GOOD}"),
            None => source.to_owned(),
        },
    };
    STATEMENTS.iter().map(|(fact, source)| Statement { fact, pattern: Pattern::new(&full(source)) }).collect()
});

/// An update that changed nothing, or mended it.
const NO_BEGINNING: &str = r"(?i)\b(still|also|either|even|same (error|problem|issue)|no (change|luck|effect)|not help|works?|worked|fix\w*|solv\w*|resolv\w*|fine|help(s|ed)|gone|should|please|try)\b|n[o']t help|还是|仍然|也|正常|解决|就好";

static BEGINNING: LazyLock<Pattern> = LazyLock::new(|| Pattern::new(NO_BEGINNING));

static DENIAL: LazyLock<Pattern> = LazyLock::new(|| Pattern::new(DENIES));

/// Statements that are no less true where their clause denies something.
const BLUNT: [&str; 7] = [
    "writer.began_with_update",
    "writer.same_input",
    "writer.needs_reboot",
    "writer.interrupted_before",
    "writer.one_card_only",
    "writer.intermittent",
    "writer.after_hours",
];

/// Records what the writer says.
pub(super) fn facts(transcript: &Transcript, incident: &mut Incident) {
    let len = transcript.len();
    for index in (0..len).filter(|&index| index < HEAD || index + TAIL >= len) {
        if !matches!(incident.roles.get(index), Some(Role::Text | Role::Quiet)) {
            continue;
        }
        let line = transcript.line(index);
        if !is_said(line.text) {
            continue;
        }
        for fact in said(line.text) {
            incident.facts.add(fact, Value::Bool(true), Source::Text, Some(line.number));
        }
    }
}

/// Whether a line can be a person's sentence at all: words, not too long, no record of a logger or of progress.
fn is_said(text: &str) -> bool {
    let words = text.trim();
    let spaced = words.split_whitespace().take(3).count() == 3;
    let foreign = words.chars().any(|c| ('\u{3040}'..'\u{9fff}').contains(&c));
    let logged = ["Warning:", "WARNING", "INFO", "it/s", "s/it", "http://", "DEBUG", "wandb:"]
        .iter()
        .any(|mark| words.contains(mark));
    (6..600).contains(&words.len()) && (spaced || foreign) && !logged
}

/// The facts that the clauses of a line state.
fn said(text: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for clause in clauses(text) {
        let mut denied = None;
        for Statement { fact, pattern } in PATTERNS.iter() {
            if found.contains(fact) || !pattern.is_match(clause) {
                continue;
            }
            if *fact == "writer.began_with_update" && BEGINNING.is_match(clause) {
                continue;
            }
            // "Works on 1.12, fails on 2.0": what denies may stand behind a comma.
            if BLUNT.contains(fact)
                || !*denied.get_or_insert_with(|| DENIAL.is_match(clause))
                || clause.split(", ").any(|part| pattern.is_match(part) && !DENIAL.is_match(part))
            {
                found.push(*fact);
            }
        }
    }
    found
}

/// The parts of a sentence that each say one thing.
fn clauses(text: &str) -> Vec<&str> {
    const ENDS: [&str; 14] =
        [". ", "; ", "! ", "? ", " but ", " while ", " whereas ", " although ", " (", ") ", "。", "；", "但", "，"];
    let mut parts = vec![text];
    for end in ENDS {
        parts = parts.into_iter().flat_map(|part| part.split(end)).collect();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            let fact = format!("writer.{expected}");
            assert!(said(text).contains(&fact.as_str()), "{text}: {:?}", said(text));
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
        ] {
            assert_eq!(said(text), Vec::<&str>::new(), "{text}");
        }
        assert!(!is_said("UserWarning: fp16 works only on CUDA"));
        assert!(!is_said("works"));
    }

    #[test]
    fn every_pattern_compiles() {
        for (fact, source) in STATEMENTS {
            let source = source.replacen('W', WORKS, usize::from(source.starts_with('W')));
            let source = source.strip_suffix('G').map_or(source.clone(), |rest| format!("{rest}{GOOD}"));
            assert!(Pattern::compile(&source).is_ok(), "{fact}: {source}");
        }
    }
}
