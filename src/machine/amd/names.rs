//! The names under which AMD sells a GPU, from files.

use std::path::Path;

use crate::machine::system::read_text;

/// Where libdrm and AMD's driver packages install the list of names.
const LISTS: [&str; 3] =
    ["usr/share/libdrm/amdgpu.ids", "opt/amdgpu/share/libdrm/amdgpu.ids", "usr/local/share/libdrm/amdgpu.ids"];

/// The name of the device in a PCI folder: its own (server boards only), otherwise that of libdrm's list.
pub(super) fn of_device(root: &Path, folder: &str) -> Option<String> {
    let word = |file: &str| read_text(root, &format!("{folder}/{file}")).map(|text| text.trim().to_owned());
    if let Some(name) = word("product_name").filter(|name| !name.is_empty()) {
        return Some(with_maker(&name));
    }
    let (device, revision) = (hex(&word("device")?)?, hex(&word("revision")?)?);
    LISTS.iter().find_map(|list| in_list(&read_text(root, list)?, device, revision))
}

fn with_maker(name: &str) -> String {
    if name.starts_with("AMD") { name.to_owned() } else { format!("AMD {name}") }
}

/// "744C, C8, AMD Radeon RX 7900 XTX", with tabs after the commas.
fn in_list(text: &str, device: u32, revision: u32) -> Option<String> {
    text.lines().find_map(|line| {
        let mut parts = line.splitn(3, ',').map(str::trim);
        let same = hex(parts.next()?)? == device && hex(parts.next()?)? == revision;
        same.then(|| parts.next().filter(|name| !name.is_empty()).map(with_maker))?
    })
}

fn hex(text: &str) -> Option<u32> {
    u32::from_str_radix(text.trim_start_matches("0x"), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::files::folder;

    #[test]
    fn the_boards_own_name_comes_before_the_list() {
        let list =
            "# List of AMDGPU IDs\n1.0.0\n744C,\tC8,\tAMD Radeon RX 7900 XTX\n744C,\tCC,\tAMD Radeon RX 7900 XT\n";
        let machine = folder(&[
            ("usr/share/libdrm/amdgpu.ids", list.as_bytes()),
            ("gpu/device", b"0x744c\n"),
            ("gpu/revision", b"0xcc\n"),
            ("gpu/product_name", b"\n"),
            ("board/product_name", b"Instinct MI300X OAM\n"),
            ("other/device", b"0x1234\n"),
            ("other/revision", b"0x00\n"),
        ]);
        let name = |folder: &str| of_device(machine.path(), folder);
        assert_eq!(name("gpu").as_deref(), Some("AMD Radeon RX 7900 XT"));
        assert_eq!(name("board").as_deref(), Some("AMD Instinct MI300X OAM"));
        assert_eq!((name("other"), name("nothing")), (None, None));
    }
}
