//! What the person who pasted the text says of other attempts: another version works, a smaller batch works, the CPU
//! works, it comes and goes. Facts `told.*`, in English and Chinese.
//!
//! It reads prose at the head and the tail of a text only, never messages, advice or quoted code. The surprising thing:
//! "does not work with 2.1" has all the words of its opposite, so a denied line says nothing.

use std::sync::LazyLock;

use super::{Incident, Role};
use crate::facts::{Source, Value};
use crate::pattern::Pattern;
use crate::transcript::Transcript;

/// Lines at either end that are read: people write above and below what they paste.
const ENDS: usize = 300;

/// Longer lines are logs.
const LONGEST: usize = 600;

/// The facts and the wordings that stand for them.
static TOLD: LazyLock<[(&str, Pattern); 7]> = LazyLock::new(|| {
    [
        (
            "told.other_version",
            Pattern::new(concat!(
                r"(?i)\b(after|since|upon|following)\b.{0,16}\b(upgrad|updat|downgrad)\w*",
                r"|\bdowngrad(e|ed|ing)\b|\broll(ed|ing)? ?back (to|from)\b|\bregression (in|since|from)\b",
                r"|\b(works?|worked|working|(runs?|ran) (fine|ok|well|without|through|smoothly)|fine|ok|passe[sd]|fixe[sd]|solve[sd]|gone|no (error|problem|issue|crash)s?)\b.{0,30}",
                r"\b(with|on|in|under|using|by|until|before|at)\b.{0,30}[^.\d\w](v|cu)?\d+\.\d+",
                r"|\b(with|using|on|in) .{0,24}\d+\.\d+\S*( \w+){0,3} (works?|worked|pass(es)?|runs|is (fine|ok|good)|was (fine|ok|good)|there is no)\b",
                r"|\b(previous|earlier|older|newer|nightly|next|last) (version|release|build|driver)s?\b.{0,40}\b(works?|worked|fix\w*|fine|ok|pass\w*|runs?)\b",
                r"|\b(works?|worked|fine|ok|fixed|solved)\b.{0,30}\b(previous|earlier|older|newer|nightly|latest) (\w+ )?(version|release|build)",
                "|升级.{0,60}(后|就|才)|降级|降到|回退到|(之前|以前|旧|老|新|其他|别的|低|高).{0,3}版本?.{0,40}(好|可以|正常|没问题|没有|不报错|解决)",
                "|换(成|了|回|到)?.{0,40}\\d\\.\\d.{0,40}(好|可以|正常|没问题|不报错|解决)",
            )),
        ),
        (
            "told.smaller_works",
            Pattern::new(concat!(
                r"(?i)\b(batch([ _-]?size)?|bs|resolution|image size|sequence length|model)s?\b[^.]{0,40}\b(works?|fits|succeeds?|ok|fine|runs)\b",
                r"|\b(works?|runs?|fine|ok|no (error|problem)s?|fixed|solved|gone)\b.{0,40}\b(small(er)?|tiny|reduc\w+|lower\w*|decreas\w+|batch([ _-]?size)? ?(of|=|:)? ?\d+|bs ?= ?\d+)\b",
                r"|\b(small(er)?|reduc\w+|lower\w*|decreas\w+|halv\w+|tiny)\b.{0,30}\b(batch|resolution|image|model|sequence|context|crop|input|workspace)\w*\b.{0,40}\b(works?|fix\w*|help\w*|solv\w*|fine|ok|runs?|gone|disappear\w*)\b",
                "|(batch|bs|分辨率|尺寸|图片|批).{0,24}(小|降低|减|=1|为1|= 1|为 1).{0,40}(好|可以|正常|没问题|不报错|解决|能跑)",
                "|(减小|调小|降低|改小|减少).{0,16}(batch|bs|分辨率|尺寸|批|图).{0,40}(好|可以|正常|没问题|不报错|解决|能跑)",
            )),
        ),
        (
            "told.cpu_works",
            Pattern::new(concat!(
                r"(?i)\b(works?|worked|runs?|fine|ok|pass(es)?|no (error|problem|issue)s?)\b.{0,40}\b(on|with|in|using|under) (the |my )?CPU\b",
                r"|\b(on|with|using) (the |my )?CPU\b.{0,30}\b(works?|runs?|fine|ok|pass(es)?|no (error|problem)s?)\b",
                "|(换|改|用|切).{0,12}cpu.{0,40}(没问题|正常|可以|能跑|好了|没事)|cpu.{0,12}(上|下|跑|模式).{0,30}(没问题|正常|可以|能跑)",
            )),
        ),
        (
            "told.other_gpu_works",
            Pattern::new(concat!(
                r"(?i)\b(works?|worked|runs?|fine|ok|no (error|problem|issue)s?)\b.{0,40}\b(on|with) (\w+ ){0,3}(RTX|GTX|Tesla|Quadro|Titan|[AHLV]\d{2,3}|T4|P\d{2,3}|[1-5]0[5-9]0|(other|another|different) (\w+ )?(GPU|card|machine|server|node|computer|PC|laptop)s?)\b",
                "|(换|别的|其他|另一).{0,12}(显卡|卡|机器|服务器|电脑).{0,30}(没问题|正常|可以|好)",
            )),
        ),
        (
            "told.comes_and_goes",
            Pattern::new(concat!(
                r"(?i)\bat random\b|\brandomly (fail|crash|die|hang|stop|happen|occur|appear|get)\w*|\b(fail|crash|die|hang|stop|happen|occur|appear)\w* randomly\b|\brandom (crash|fail|hang|freez)\w*",
                r"|\bsometimes\b|\bsporadic|\bintermittent|\boccasionally\b|\bonce in a while\b|\bfrom time to time\b|\bnot every time\b|\bnot always\b",
                r"|\bafter (about |around |roughly |some |a few |several |many |~ ?)?(\d+(\.\d+)?(-\d+)? ?)?(hours?|hrs|days?)\b|\bat (a )?different (step|epoch|iteration|time|point)s?\b",
                "|偶尔|随机(出现|报错|崩)|有时|不定时|时不时|(跑|训练|运行)(了)?.{0,16}(小时|天)",
            )),
        ),
        (
            "told.other_process",
            Pattern::new(concat!(
                r"(?i)\b(another|second|two|stale|zombie|leftover|orphan\w*|previous|old) (python |jupyter |training |running |GPU )?(process(es)?|notebooks?|kernels?|instances?|sessions?|programs?|scripts?)\b",
                r"|<defunct>|\b(kill|clos|shut)\w* (down )?(all |the |other |old |that |my |both )*(process(es)?|notebooks?|kernels?|python|jupyter|consoles?)\b|\balready running on (this|the|that) GPU\b",
                "|(另|其他|别的|别人).{0,12}(进程|程序|notebook)|僵尸进程|被占(用|满)|杀(掉|死|了).{0,12}进程",
            )),
        ),
        (
            "told.restart_helps",
            Pattern::new(concat!(
                r"(?i)\b(reboot|restart|power.?cycl)\w*\b.{0,40}\b(fix\w*|help(s|ed)|solv\w*|works?( again)?|gone|goes away|fine|ok)\b",
                r"|\b(works?|worked|fixed|solved|fine|ok|gone|goes away)\b.{0,20}\bafter (a |the |every )?(reboot|restart)",
                "|重启.{0,24}(好|正常|可以|解决|恢复)",
            )),
        ),
    ]
});

/// Words that turn what a line says of success around.
static DENIED: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::new(concat!(
        r"(?i)(n't|\bnot|\bnever|\bcannot|\bneither|\bdid nothing|\bno longer) (even |really )?(work|run|help|fix|solv|pass|fit|change|ok|fine)\w*|\b(still|also) (fail|crash|happen|occur|get|broken|the same|not)\w*|\bthe same (error|problem)\b|\bno (luck|difference|effect)\b",
        "|没(有)?用|没解决|不行|还是(报错|不行|一样)|无效|不管用|仍(然)?报",
    ))
});

/// Facts whose words can be denied: attempts that should have helped.
const ATTEMPTS: [&str; 5] =
    ["told.smaller_works", "told.cpu_works", "told.other_gpu_works", "told.restart_helps", "told.other_version"];

/// Reads the prose of a text.
pub(super) fn facts(transcript: &Transcript, incident: &mut Incident) {
    let len = transcript.len();
    for index in (0..len).filter(|&index| index < ENDS || index + ENDS >= len) {
        let line = transcript.line(index);
        let logged = line.prefix.time.is_some() || line.prefix.level.is_some();
        let text = incident.roles.get(index) == Some(&Role::Text);
        if logged || !text || line.text.len() > LONGEST || !is_prose(line.text) {
            continue;
        }
        let mut denied = None;
        for (name, pattern) in TOLD.iter() {
            if incident.facts.get(name).is_some() || !pattern.is_match(line.text) {
                continue;
            }
            let about_attempt = ATTEMPTS.contains(name);
            if about_attempt && *denied.get_or_insert_with(|| DENIED.is_match(line.text)) {
                continue;
            }
            incident.facts.add(*name, Value::Bool(true), Source::Text, Some(line.number));
        }
    }
}

/// Whether a line can be a sentence of a person: several words of letters, or ideographs, and no line of a log.
fn is_prose(text: &str) -> bool {
    let words = text.trim_start();
    let log = words.starts_with(['+', '|', '$', '['])
        || ["INFO", "WARN", "ERROR", "Requirement ", "Collecting "].iter().any(|mark| words.starts_with(mark));
    let ideographs = words.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    !log && (ideographs || words.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count() >= 3)
}

#[cfg(test)]
mod tests {
    fn told(text: &str) -> Vec<String> {
        let incident = crate::incident::read(&crate::transcript::read(text.as_bytes()));
        incident.facts.iter().map(|(name, _)| name.to_owned()).filter(|name| name.starts_with("told.")).collect()
    }

    #[test]
    fn what_people_say() {
        for (text, name) in [
            ("It started after upgrading torch.", "told.other_version"),
            ("The very same script runs fine with torch 2.3.1 here.", "told.other_version"),
            ("the same image with NCCL 2.27.7 works", "told.other_version"),
            ("I had to downgrade to make it go.", "told.other_version"),
            ("升级到 2.4 之后就报错", "told.other_version"),
            ("旧版本没问题", "told.other_version"),
            ("With a batch size of 2 it works.", "told.smaller_works"),
            ("reducing the image size fixes it", "told.smaller_works"),
            ("把batch改小就可以了", "told.smaller_works"),
            ("The network runs without trouble, no errors on the CPU.", "told.cpu_works"),
            ("换成 CPU 就没问题", "told.cpu_works"),
            ("works on the GTX 1080 machine, fails on the new one", "told.other_gpu_works"),
            ("It crashes randomly, never at the same batch", "told.comes_and_goes"),
            ("The job dies after about 6 hours", "told.comes_and_goes"),
            ("训练大概跑了三个小时就崩了", "told.comes_and_goes"),
            ("I had another notebook open", "told.other_process"),
            ("显卡被占用了，有别人的进程", "told.other_process"),
            ("A reboot of the box fixes it for a day", "told.restart_helps"),
            ("重启之后就好了", "told.restart_helps"),
        ] {
            assert!(told(text).iter().any(|found| found == name), "{text}: {:?}", told(text));
        }
    }

    #[test]
    fn what_says_nothing() {
        for text in [
            "It does not work with torch 2.3.1 either.",
            "A smaller batch did not help, same error on the CPU",
            "换成小的 batch 还是报错",
            "torch 2.3.1, driver 550.54, Ubuntu 22.04",
            "2024-05-01 10:00:00 INFO the version 2.1 works with 3.0",
            "Training on 4 GPUs with batch size 32",
            "wandb: Tracking run with wandb version 0.16.3",
            "in an upcoming release, it will be required to pass the indexing argument",
        ] {
            assert_eq!(told(text), Vec::<String>::new(), "{text}");
        }
    }
}
