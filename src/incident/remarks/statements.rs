//! The wordings in which people tell circumstances, in English and Chinese, one row for each.
//!
//! It holds words only and decides nothing. The surprising thing: regexes cost more to compile than to run, so each row
//! has words that a clause must hold before its pattern is looked at.

/// "it works", in the tenses people use.
pub(super) const WORKS: &str = r"(?i)\b(works?|worked|working (fine|well|ok)|runs|ran|can run|trains|succeeds?|succeeded|fine|ok|okay|no (error|problem|issue|crash)\w*|(disappear|vanish)(s|ed)|goes away|went away)\b";

/// 正常 and its kin.
pub(super) const GOOD: &str =
    "(正常|没问题|没有问题|可以跑|能跑|就好|就行|不报错|不会报错|就可以|解决|動きます|問題な)";

/// Words of which a clause holds one, whole, where a row's pattern begins with `W`.
pub(super) const WORKS_WORDS: &str = "work|works|worked|working|runs|ran|run|trains|succeed|succeeds|succeeded|fine|ok|okay|no|disappears|disappeared|vanishes|vanished|away";

/// A statement: the fact it makes known, beginnings of words (lower case, parted by `|`) of which a clause holds one from
/// each group (parted by `&`), and the pattern that says it. `W` at a pattern's beginning stands for [`WORKS`], `G` at its end for [`GOOD`].
#[rustfmt::skip]
pub(super) const STATEMENTS: &[(&str, &str, &str)] = &[
    ("writer.works_on_cpu", "cpu|map_location", r"W.{0,30}\b(on|with|using|in) (the )?(cpu\b|device ?= ?.?cpu|map_location)"),
    ("writer.works_on_cpu", "cpu&work|run|fine|ok", r"(?i)\b(on|with|using) (the )?cpu,? (it|this|everything|the same \w+)? ?(works|runs|is fine)|\bcpu (works|runs|is fine|is ok)"),
    ("writer.works_on_cpu", "cpu", r"(?i)cpu ?(上|下|模式|跑|推理|训练)?.{0,18}G"),
    ("writer.works_on_other_version", "torch|cuda|driver|version|tensorflow|tf|jax|triton|vllm|transformers|diffusers|release|cudnn|nccl|tensorrt|ver", r"W.{0,30}\b(on|with|in|under|after|using|before)\b.{0,30}\b(torch|pytorch|cuda|driver|version|tensorflow|tf|jax|jaxlib|triton|vllm|transformers|diffusers|release|cudnn|nccl|tensorrt|ver\.?)[ =v-]*\d+"),
    ("writer.works_on_other_version", "0|1|2|3|4|5|6|7|8|9|older|old |previous|earlier|newer|latest|nightly", r"W.{0,20}\b(on|with|in|under|using) (an? |the )?(v?\d+\.\d+(\.\d+)?(\+cu\d+)?([,;)]|\.?$| (and|but|it|too|without|with|just)\b)|old(er)? |previous |earlier |newer |latest |nightly)"),
    ("writer.works_on_other_version", "upgrad|downgrad|updat|revert|roll&fix|solv|help|work|resolv|go|went", r"(?i)\b(downgrad|upgrad|updat|revert|roll(ed|ing)? back)\w*\b.{0,50}\b(fix|solv|help|work|resolv|go(es)? away|went away)"),
    ("writer.works_on_other_version", "upgrad|downgrad|updat|revert|bisect|first&fix|solv|resolv|bisect|bad commit", r"(?i)\b(fix|solv|resolv)ed (it |this )?(by|after|with|when) (an? )?(downgrad|upgrad|updat|revert)|bisect|first bad commit"),
    ("writer.works_on_other_version", "换|降|退|升|改用", r"(换|降|退|升|回退|降级|升级|改用)(成|到|回|为|用)?.{0,40}(\d+\.\d+|版本).{0,24}G"),
    ("writer.works_on_other_version", "with|using|on|in&0|1|2|3|4|5|6|7|8|9&work|pass|runs|fine|ok|good", r"(?i)\b(with|using|on|in) .{0,24}\d+\.\d+\S*( \w+){0,3} (works?|worked|pass(es)?|runs|is (fine|ok|good)|was (fine|ok|good))\b"),
    ("writer.works_on_other_version", "downgrad", r"(?i)\b(had to|have to|must|need(ed)? to) downgrade\b"),
    ("writer.works_on_other_version", "版", r"(之前|以前|旧|老|新|其他|别的|低|高).{0,3}版本?.{0,24}G"),
    ("writer.began_with_update", "upgrad|updat|new&since|after|when|once|until|before|install", r"(?i)\b(since|after|when|once)\b.{0,25}\b(upgrad|updat)\w+|\b(worked|fine|ok) (until|before) .{0,30}(upgrad|updat)|\bnew (driver|kernel|release)\b.{0,20}(install|since|after)"),
    ("writer.began_with_update", "升级|更新", r"(升级|更新).{0,40}(后|以后|之后).{0,30}(报错|出现|就|不能|崩|失败)"),
    ("writer.works_smaller", "small|fewer|less|short|reduced|lower|tiny|batch", r"W.{0,30}\b(with|on|at|for|if|when)\b.{0,25}\b(small|fewer|less|short|reduced|lower|tiny|batch[ _]?size ?(=|of|to|is)? ?\d|batch (of )?\d)"),
    ("writer.works_smaller", "with|at|using&batch|bs|resolution|image|sequence&work|fit|succe|runs", r"(?i)\b(with|at|using) .{0,16}\b(batch([ _-]?size)?|bs|resolution|image size|sequence length)s?\b.{0,16}\d+,? .{0,8}\b(works?|fits|succeeds?|runs)\b"),
    ("writer.works_smaller", "reduc|lower|decreas|shrink|halv&fix|work|help|avoid|solv|go|went", r"(?i)\b(reduc|lower|decreas|shrink|halv)\w*\b.{0,40}\b(fix|work|help|avoid|solv|go(es)? away)"),
    ("writer.works_smaller", "<|up to|below|under|less than&work|fine|ok|runs|fit", r"(?i)(<=?|\bup to|\bbelow|\bunder|\bless than) ?\d+\w* .{0,12}\b(works?|is fine|are fine|is ok|runs|fits?)\b"),
    ("writer.works_smaller", "小|降低|减|设|改", r"(调小|减小|改小|降低|小一点|减少|(设|改)(为|成) ?\d).{0,30}G"),
    ("writer.works_on_one_gpu", "single|one|1 |1-", r"W.{0,30}\b(on|with|using) (only )?(a |the )?(single|one|1)[ -]?(gpu|card|device|process|rank)"),
    ("writer.works_on_one_gpu", "single|one|1&gpu|card&work|runs|fine|ok", r"(?i)\b(single|one|1)[ -](gpu|card)( training| run| mode)?,? (it )?(works|runs|is fine|is ok)"),
    ("writer.works_on_one_gpu", "单|一张卡", r"(?i)(单卡|单张卡|单 ?gpu|一张卡).{0,18}G"),
    ("writer.works_on_first_gpu", "cuda:0|gpu|device 0|first", r"W.{0,25}(cuda:0|\bgpu ?#?0\b|\bdevice 0\b|\bfirst (gpu|card|device))"),
    ("writer.works_on_first_gpu", "cuda:0|gpu|first&work|fine|ok|run", r"(?i)(cuda:0|\bgpu ?#?0\b|\bfirst (gpu|card))\W{0,4}(it |this )?(works?|is fine|is ok|runs?)\b"),
    ("writer.works_on_first_gpu", "cuda:0|0|一张卡", r"(?i)(cuda:0|0 ?号卡|gpu ?0|第一张卡).{0,15}G"),
    ("writer.works_elsewhere", "other|another|different|second", r"W.{0,25}\b(on|in|with) (an?other|a different|the other|other|my other|all (the )?other|a second) (machine|computer|pc|box|server|node|card|gpu|host|system|laptop)"),
    ("writer.works_elsewhere", "rtx|gtx|tesla|quadro|titan|a100|h100|v100|t4|p100", r"W.{0,25}\b(on|with) (\w+ ){0,3}(RTX|GTX|Tesla|Quadro|Titan|[AHLV]\d{2,3}|T4|P\d{2,3})\b"),
    ("writer.works_elsewhere", "other|another|different&work|fine|run", r"(?i)\b(an?other|the other|other|different) (machine|computer|pc|server|node|card|gpu|host)s?( with the same \w+)?,? (it )?(works?|is fine|are fine|runs?)\b"),
    ("writer.works_elsewhere", "其他|别的|另|换", r"(?i)(其他|别的|另(外)?一|另外的|换(了)?(一)?).{0,9}(卡|机器|显卡|服务器|电脑).{0,15}G"),
    ("writer.one_card_only", "only|always|every time&on|with", r"(?i)\b(only|always|every time)\b.{0,20}\b(on|with) (this (card|gpu|node)|(the )?same (card|gpu|node)|one (card|gpu|node|of the (cards|gpus))|that (card|gpu|node)|gpu ?#?\d|card ?#?\d|rank ?\d|node\w*\d)"),
    ("writer.one_card_only", "只有|总是|每次|都是", r"(?i)(只有|总是|每次都是|都是).{0,15}(这|那|同一|第).{0,6}(张|块)?.{0,4}(卡|gpu|显卡)"),
    ("writer.intermittent", "random|intermit|sporad|occasion|sometimes|not always|non-determin|nondetermin&crash|fail|stop|die|happen|occur|error|work|appear|hang", r"(?i)\b(random(ly)?|intermittent(ly)?|sporadic(ally)?|occasional(ly)?|sometimes|not always|non-?determinis\w+)\b.{0,40}\b(crash|fail|stop|die|happen|occur|error|work|appear|hang)"),
    ("writer.intermittent", "random|intermit|sporad|occasion|sometimes|different&crash|fail|stop|die|happen|occur|error|appear", r"(?i)\b(crash|fail|stop|die|happen|occur|error|appear)\w*\b.{0,30}\b(randomly|at random|sporadically|intermittently|occasionally|sometimes|different (step|epoch|iteration|place|line|layer|time)s?)"),
    ("writer.intermittent", "偶|随机|有时|不定时|时不时", r"偶尔|偶发|随机(出现|报错|崩|在|的地方)|有时(候)?(会|能|可以|报)|不定时|时不时"),
    ("writer.after_hours", "hour|hr|day|h&after|for&crash|fail|die|stop|happen|occur|error|kill|hang|run|ran|work|fine|train|get", r"(?i)\b(crash|fail|die|stop|happen|occur|error|kill|hang|runs?|ran|works?|fine|trains?|training|get|gets)\w*\b.{0,40}\b(after|for)\b.{0,20}\b(hours?|hrs?|days?|h)\b"),
    ("writer.after_hours", "after&hour|hr|day&crash|fail|die|stop|happen|occur|error|kill|hang", r"(?i)\bafter\b.{0,20}\b(hours?|hrs?|days?)\b.{0,40}\b(crash|fail|die|stop|happen|occur|error|kill|hang)"),
    ("writer.after_hours", "小时|天", r"(跑|训练|运行|用)(了|到)?.{0,15}(小时|天).{0,24}(报错|崩|挂|出现|就|死)"),
    ("writer.needs_reboot", "reboot|restart|power", r"(?i)\b(reboot|restart|power.?cycl)\w*\b.{0,40}\b(help|fix|solve|work|recover|until|required|needed|necessary|only way)|\b(only|until|need|have|must|requires?|had)\b.{0,25}\b(reboot|power.?cycle|restart the (machine|server|computer|host|node|system|pc))"),
    ("writer.needs_reboot", "重启", r"重启.{0,18}G"),
    ("writer.needs_reboot", "重启", r"重启.{0,6}(服务器|电脑|机器|系统|主机).{0,30}(才|就|恢复|好|正常|能)|(必须|只能|需要|要)重启.{0,6}(服务器|电脑|机器|系统|主机)"),
    ("writer.same_input", "always|every|each|again|reproducib&same|this|that|certain|one|a &image|sample|batch|file|shard|record|step|iteration|example|video|row", r"(?i)\b(always|every time|each time|again|reproducib\w+)\b.{0,30}\b(the )?(same|this|that|one particular|a certain|a specific) (image|sample|batch|file|shard|record|step|iteration|example|video|row)"),
    ("writer.same_input", "每次|每|都", r"每次都?(在|是|卡在)?.{0,9}(同一|相同|这)(个|张|条|步)"),
    ("writer.works_in_fp32", "fp32|float32|full|bf16|bfloat16|without|no|disabl", r"W.{0,30}\b(fp32|float32|full precision|bf16|bfloat16|(without|no|disabling) (amp|autocast|fp16|mixed.precision|half))"),
    ("writer.works_in_fp32", "fp32|float32|bf16|bfloat16|full|disabl|turn|switch&work|fine|ok|run|stable|fix|help|solv", r"(?i)\b(fp32|float32|bf16|bfloat16|full precision)\b,? (it )?(works|is fine|is ok|runs|is stable)|\b(disabl|turn|switch)\w+ (off )?(amp|autocast|fp16|mixed.precision)\b.{0,25}\b(fix|work|help|solv)"),
    ("writer.works_in_fp32", "amp|16|32|精度", r"(?i)(关(掉|闭|了)|不用|不开|换(成|回|用)|改(成|用)) ?(amp|fp16|半精度|混合精度|fp32|bf16|float32).{0,24}G"),
    ("writer.works_eager", "eager|without|disabl|no ", r"W.{0,30}\b(eager|without.{0,12}(compile|cuda.?graphs?|flash|xformers|triton|inductor)|(disabl\w+|no) .{0,12}(compile|cuda.?graphs?|flash))"),
    ("writer.works_eager", "enforce|eager&work|fix|help|is", r"(?i)\b(enforce[-_]eager|eager mode)\b.{0,20}\b(works|fix|helps|is fine)"),
    ("writer.works_eager", "compile|graph|flash|eager|xformers", r"(?i)(关(掉|闭|了)|去掉|不用|不开|加(上|了)) ?.{0,12}(compile|cuda ?graph|flash|eager|xformers).{0,24}G"),
    ("writer.works_blocking", "cuda_launch_blocking", r"W.{0,40}CUDA_LAUNCH_BLOCKING|(?i)CUDA_LAUNCH_BLOCKING( ?= ?1)?,? .{0,15}(works|fine|no error|disappear|goes away)"),
    ("writer.interrupted_before", "ctrl|^|interrupt|kill|crash|stop|abort|still|hold|occup|alive|zombie&previous|before|earlier|yesterday|last|first|then|old", r"(?i)(ctrl ?[+-] ?[cz]\b|\^[CZ]\b|\binterrupt|\bkill|\bcrash|\bstopped|\babort)\w*\b.{0,50}\b(previous|before|earlier|yesterday|last (run|time)|first run|then)\b|\b(previous|last|earlier|old|yesterday|first) .{0,12}(run|process|job|training|session|kernel|notebook)\b.{0,40}\b(still|interrupt|crash|hold|occup|alive|zombie|kill)|\b(yesterday|earlier|before)\b.{0,30}(ctrl ?[+-] ?[cz]\b|\binterrupted)"),
    ("writer.interrupted_before", "ctrl|中断|退|没|杀|残留|僵尸", r"(?i)(上次|之前|昨天|前面).{0,18}(ctrl|中断|没退|没有退|没结束|异常退出|杀掉|残留)|僵尸进程"),
    ("writer.other_process", "another|second|two|stale|zombie|leftover|orphan|previous|old&process|notebook|kernel|instance|session|program|script", r"(?i)\b(another|second|two|stale|zombie|leftover|orphan\w*|previous|old) (python |jupyter |training |running |GPU )?(process(es)?|notebooks?|kernels?|instances?|sessions?|programs?|scripts?)\b"),
    ("writer.other_process", "<defunct|kill|clos|shut|already running&process|notebook|kernel|python|jupyter|console|gpu|<defunct", r"(?i)<defunct>|\b(kill|clos|shut)\w* (down )?(all |the |other |old |that |my |both )*(process(es)?|notebooks?|kernels?|python|jupyter|consoles?)\b|\balready running on (this|the|that) GPU\b"),
    ("writer.other_process", "进程|占|程序", "(另|其他|别的|别人).{0,12}(进程|程序|notebook)|僵尸进程|被占(用|满)|杀(掉|死|了).{0,12}进程"),
];

/// A clause that denies what it says.
pub(super) const DENIES: &str = r"(?i)\b(not|never|nor|neither|cannot|without (success|luck)|no longer|fails?|failed|instead of|should|supposed|only (works|runs)|if it|whether|does it|did it|please)\b|n[o']t\b|不(能|行|可以)|没(用|效)|无效|也(报错|不行|一样)";

/// An update that changed nothing, or mended it.
pub(super) const NO_BEGINNING: &str = r"(?i)\b(still|also|either|even|same (error|problem|issue)|no (change|luck|effect)|not help|works?|worked|fix\w*|solv\w*|resolv\w*|fine|help(s|ed)|gone|should|please|try)\b|n[o']t help|还是|仍然|也|正常|解决|就好";
