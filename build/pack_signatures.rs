//! The signatures of the whole book as one table.

use crate::description::Vendor;
use crate::files::{File, pack, write};
use crate::packed::PackedTable;
use crate::schema::{FrontMatter, NoticeMatter};
use crate::signatures::{Guard, PackedOwner, PackedSignature, PackedSignatures, SignatureTable};

/// Packs the signatures of pages and notices, and those of codes that belong to a page.
pub(crate) fn write_signatures(
    faults: &[(&str, &File, FrontMatter, &str)],
    notices: &[(&File, NoticeMatter, &str)],
    tables: &[PackedTable<'_>],
    vendors: &[Vendor],
) {
    /// Shorter sentences ("unknown error") appear in too many texts.
    const SHORTEST_SENTENCE: usize = 12;
    let mut all: Vec<(PackedOwner<'_>, PackedSignature)> = Vec::new();
    for (number, (.., matter, _)) in (0..).zip(faults) {
        all.extend(matter.signatures.iter().map(|spec| (PackedOwner::Fault(number), PackedSignature::of_page(spec))));
    }
    for (number, (_, matter, _)) in (0..).zip(notices) {
        all.extend(matter.signatures.iter().map(|spec| (PackedOwner::Notice(number), PackedSignature::of_page(spec))));
    }
    for table in tables {
        let log = vendors.iter().map(|vendor| &vendor.kernel_log).find(|log| log.table == table.library);
        let speaks = vendors.iter().any(|vendor| vendor.sentences.signatures.iter().any(|name| name == table.library));
        for row in table.rows.iter().filter(|row| !row.fault.trim().is_empty()) {
            let owner = PackedOwner::Code(row.fault.trim());
            if let Some(log) = log {
                all.push((owner, PackedSignature::of_event(&format!("{} {}", log.event, row.value.trim()))));
                continue;
            }
            let mut add = |literal: &str, guard| {
                if literal.len() >= SHORTEST_SENTENCE {
                    all.push((owner, PackedSignature::of_code(literal, guard)));
                }
            };
            add(&row.name, Guard::Word);
            if speaks {
                add(&row.message, Guard::AfterInterface);
            }
        }
    }
    let mut owners: Vec<PackedOwner<'_>> = Vec::new();
    let signatures: Vec<(u32, PackedSignature)> = all
        .into_iter()
        .map(|(owner, signature)| {
            if owners.last() != Some(&owner) {
                owners.push(owner);
            }
            (u32::try_from(owners.len() - 1).unwrap_or_default(), signature)
        })
        .collect();
    write("signatures", &pack(&PackedSignatures { owners, table: SignatureTable::new(&signatures) }));
}
