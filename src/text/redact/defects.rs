//! What once leaked, as it was found: tokens of letters alone, values with `/` or `+`, people in listings and prompts.

use super::tests::redacted;

const LETTERS: &str = "qZkLmXvTbNpRsWyGdHjFcVaUeKoIxPtBwM";

#[test]
fn a_token_of_letters_alone_is_one() {
    let token = format!("hf_{LETTERS}");
    for text in [
        format!("export HF_TOKEN={token}"),
        format!("token='{token}'"),
        format!("{{\"token\": \"{token}\"}}"),
        format!("hf_token: {token}"),
        format!("huggingface-cli login --token {token}"),
        format!("Authorization: Bearer {token}"),
        format!("https://user:{token}@huggingface.co/x"),
        format!("the token {token} was refused"),
    ] {
        let clean = redacted(&text);
        assert!(!clean.contains(&LETTERS[..8]), "{text}: {clean}");
    }
}

#[test]
fn values_in_base64_are_taken_out_whole() {
    let value = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzEXAMPLEKEY/Tq8+Zs5Lk2Vn9";
    for text in [
        format!("client-key-data: {value}=="),
        format!("    client-certificate-data: {value}="),
        format!("aws_secret_access_key = {}", &value[..40]),
        format!("AccountKey={value}==;EndpointSuffix=core.windows.net"),
        format!("AZURE_STORAGE_KEY={value}=="),
    ] {
        let clean = redacted(&text);
        for part in value.split(['/', '+']).filter(|part| part.len() > 7) {
            assert!(!clean.contains(part), "{text}: {clean}");
        }
    }
}

/// The open threads, in which people and machines are named as they really are.
fn texts() -> Vec<String> {
    let threads = include_str!("../../../kb/threads/open.jsonl");
    let input = |line: &str| -> Option<String> {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        value.get("input")?.as_str().map(str::to_owned)
    };
    threads.lines().filter_map(input).collect()
}

#[test]
fn what_is_redacted_is_not_redacted_again() {
    let all = texts();
    assert!(all.len() > 500, "{}", all.len());
    for text in all.iter().step_by(8) {
        let once = redacted(text);
        assert_eq!(redacted(&once), once);
    }
}

#[test]
#[ignore = "takes a minute"]
fn no_text_is_redacted_again() {
    for text in texts() {
        let once = redacted(&text);
        assert_eq!(redacted(&once), once);
    }
}

#[test]
fn people_are_taken_out_of_listings_prompts_and_commits() {
    for (text, private) in [
        ("uid=1001(quillon) gid=1001(quillon) groups=1001(quillon),27(sudo)", "quillon"),
        ("-rw-r--r-- 1 quillon quillon 1204 Jan  5 10:00 train.py", "quillon"),
        ("drwxr-xr-x 2 quillon staff 4096 Jan  5 10:00 runs", "quillon"),
        ("quillon@host7:~/p$ python train.py", "quillon"),
        ("(env) [quillon@host7 p]$ python train.py", "quillon"),
        ("Author: Quillon Marsh <q.marsh@quillon.dev>", "Marsh"),
        ("Author: Quillon Marsh <q.marsh@quillon.dev>", "q.marsh"),
        ("call me at +1 415-555-2671 when it is back", "555-2671"),
    ] {
        let clean = redacted(text);
        assert!(!clean.contains(private), "{text}: {clean}");
    }
    let listing = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n\
                   quillon    41233 99.0  3.1 912345 51234 ?        Rl   10:00  12:01 python train.py\n";
    assert!(!redacted(listing).contains("quillon"), "{}", redacted(listing));
}
