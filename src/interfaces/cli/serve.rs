//! `faultbook serve`: the page, for a browser on this machine.

use std::collections::BTreeSet;
use std::env;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::Args;

use super::common::Common;
use super::exit::Exit;
use super::failure::{Failure, Result};
use super::output::{Output, remark};
use super::servers::{here, settings};
use crate::interfaces::web::{self, Exposure, Token};
use crate::interfaces::workspace::Settings;

/// Where the page is by default; the next free port where that is taken.
const USUAL: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7311);

/// Holds the token of a page that others can reach.
const TOKEN: &str = "FAULTBOOK_TOKEN";

/// Below the options.
pub(crate) const HELP: &str = "\
The address is printed; Ctrl-C ends the server. Only this machine can reach it, unless --bind says otherwise: then every
visitor needs the token that is part of the printed address. FAULTBOOK_TOKEN sets it (16 characters or more).";

#[derive(Debug, Clone, Args)]
pub(crate) struct ServeOptions {
    /// The address to serve on (default: 127.0.0.1:7311, or another port where that is taken).
    #[arg(long, value_name = "ADDRESS:PORT")]
    bind: Option<SocketAddr>,

    /// With --bind: a name under which others reach this machine (repeatable); numeric addresses need none.
    #[arg(long, value_name = "NAME", requires = "bind")]
    host: Vec<String>,

    /// Let the page write new bug reports into the project's folder of reports.
    #[arg(long)]
    allow_write: bool,
}

/// Serves until it is interrupted.
pub(crate) fn run(options: &ServeOptions, common: &Common) -> Result<Exit> {
    let output = Output::new(common, common.format)?;
    let address = options.bind.unwrap_or(USUAL);
    let token = if address.ip().is_loopback() { None } else { Some(token()?) };
    let exposure = match &token {
        Some((_, token)) => Exposure::Network(token.clone()),
        None => Exposure::Loopback,
    };
    let listening = match web::listen(address, exposure.clone()) {
        Err(_) if options.bind.is_none() => web::listen(SocketAddr::new(USUAL.ip(), 0), exposure),
        listening => listening,
    };
    let failed = |error: std::io::Error| {
        Failure::new(format!("cannot serve on {address}: {error}"))
            .hint("choose another address with `--bind 127.0.0.1:PORT`")
    };
    let listening = listening.map_err(failed)?;
    let shown = match &token {
        Some((secret, _)) => format!("http://{}/?token={secret}", listening.address),
        None => format!("http://{}/", listening.address),
    };
    output.write(&format!("{shown}\n"))?;
    if token.is_some() {
        remark(&format!(
            "others can reach this page: with the token they read the book, this project's reports and what is pasted{}{}",
            if common.no_probe { "" } else { ", and ask this machine" },
            if options.allow_write { ", and write reports" } else { "" },
        ));
        remark("the connection is not encrypted: use it only in a network that you trust, or through `ssh -L`");
    }
    let settings = Settings { allow_write: options.allow_write, ..settings(common) };
    let names: BTreeSet<String> = options.host.iter().map(|name| name.to_ascii_lowercase()).collect();
    listening.serve(here(), &settings, names).map_err(failed)?;
    Ok(Exit::Found)
}

/// The token that the user chose, or a new one.
fn token() -> Result<(String, Token)> {
    let secret = match env::var(TOKEN) {
        Ok(secret) => secret,
        Err(_) => {
            let mut bytes = [0_u8; 18];
            getrandom::fill(&mut bytes).map_err(|error| Failure::new(format!("no random numbers: {error}")))?;
            bytes.iter().map(|byte| format!("{byte:02x}")).collect()
        }
    };
    let token = Token::new(&secret).ok_or_else(|| {
        Failure::new(format!("{TOKEN} must have 16 characters or more, letters, digits and -_.~ only"))
    })?;
    Ok((secret, token))
}
