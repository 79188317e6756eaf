//! `faultbook show FAULT --why`: how a page ranks its causes.

use serde::Serialize;

use super::exit::Exit;
use super::failure::{Failure, Result};
use super::format::Format;
use super::output::{Output, json};
use crate::book::Book;
use crate::diagnosis::{Why, WhyCause, why};
use crate::render::inline::plain;
use crate::render::layout::{Paragraph, Sheet};
use crate::render::markdown::sentence;
use crate::render::style::{AGAINST, FAINT, FAULT, FOR, PLAIN, STRONG};
use crate::render::words::counted;
use crate::reports::lookup::Found;

/// The JSON (`faultbook/why/1`).
#[derive(Serialize)]
struct Answer<'a> {
    schema: &'static str,
    #[serde(flatten)]
    why: &'a Why,
}

pub(super) fn run(book: &Book, found: &[Found<'_>], query: &str, output: &Output) -> Result<Exit> {
    let Some(page) = found.iter().find_map(|found| if let Found::Page(page) = found { Some(*page) } else { None })
    else {
        return Err(Failure::new(format!("`{query}` is not a fault page"))
            .hint("`--why` explains how a fault page ranks its causes"));
    };
    let why = why(book, page);
    output.write(&match output.format {
        Format::Json => json(&Answer { schema: "faultbook/why/1", why: &why })?,
        Format::Markdown => markdown(&why),
        Format::Terminal => terminal(&why, output.sheet()),
    })?;
    Ok(Exit::Found)
}

/// `author: common; 14 of 23 cases; 31 of 40 posts; before evidence +1.20`.
fn prior(why: &Why, cause: &WhyCause) -> String {
    let author = format!("{:?}", cause.author).to_lowercase();
    let cases = match why.cases {
        0 => "no known cases".to_owned(),
        all => format!("{} of {}", cause.cases, counted(all as u64, "case", "cases")),
    };
    let posts = match why.posts {
        0 => String::new(),
        all => format!("; {} of {}", cause.posts, counted(u64::from(all), "post", "posts")),
    };
    format!("author: {author}; {cases}{posts}; before evidence {:+.2}", cause.prior)
}

fn solved(count: usize) -> String {
    if count == 0 { String::new() } else { format!("solved {}", counted(count as u64, "case", "cases")) }
}

fn terminal(why: &Why, mut sheet: Sheet) -> String {
    sheet.paragraph(&Paragraph::new("How causes are ranked, in log-odds").style(FAULT).right(FAINT, &why.fault));
    for cause in &why.causes {
        sheet.blank();
        sheet.paragraph(&Paragraph::new(plain(&cause.title)).style(STRONG).right(FAINT, &cause.id));
        sheet.paragraph(&Paragraph::new(prior(why, cause)).lead(PLAIN, "  "));
        for item in &cause.evidence {
            let style = if item.weight > 0.0 { FOR } else { AGAINST };
            let says = Paragraph::new(plain(&item.says)).lead(style, format!("  {:+.1}  ", item.weight));
            sheet.paragraph(&says.right(FAINT, item.question));
        }
        for fix in &cause.fixes {
            sheet
                .paragraph(&Paragraph::new(plain(&fix.title)).lead(FAINT, "  fix:  ").right(FAINT, solved(fix.solved)));
        }
    }
    sheet.finish()
}

fn markdown(why: &Why) -> String {
    let mut out = format!("# How the causes of `{}` are ranked\n", why.fault);
    for cause in &why.causes {
        out.push_str(&format!("\n## {} (`{}`)\n\n{}.\n\n", sentence(&cause.title), cause.id, prior(why, cause)));
        for item in &cause.evidence {
            out.push_str(&format!(
                "- {:+.1}, {} `{}`: {}\n",
                item.weight,
                item.question,
                item.pattern,
                sentence(&item.says)
            ));
        }
        for fix in &cause.fixes {
            let solved = if fix.solved == 0 { String::new() } else { format!(" ({})", solved(fix.solved)) };
            out.push_str(&format!("- fix: {}{solved}\n", sentence(&fix.title)));
        }
    }
    out
}
