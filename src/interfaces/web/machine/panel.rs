//! What is known of this machine, for everybody who looks at it: one probe at a time, one run of checks at a time, and
//! one sampler, which works only while somebody listens.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use axum::response::sse::Event;
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, watch};

use super::{gpus, page};
use crate::interfaces::drafts::probe_options;
use crate::interfaces::web::failed::Failed;
use crate::interfaces::web::server::Shared;
use crate::machine::{Check, Level, Options, Outcome, Progress, Watch, run_telling};

/// Between two samples.
const PAUSE: Duration = Duration::from_secs(2);

/// After this many samples the rest of the machine is looked at again.
const SAMPLES_PER_PROBE: u32 = 5;

/// A probe is used for this long before another one is made.
const FRESH: Duration = Duration::from_secs(4);

/// The longest wait for one answer of a driver: one that needs longer to wake its GPUs is told as such.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest that the page waits for a probe before it is sent without one.
const MOMENT: Duration = Duration::from_millis(600);

/// Pages that can be open at a time.
const LISTENERS: usize = 16;

/// The parts of the page that are sent when they change, by the ids of their elements.
const PARTS: [&str; 3] = ["gpus", "details", "checks"];
pub(super) const GPUS: usize = 0;
const DETAILS: usize = 1;
const CHECKS: usize = 2;

/// What all requests share about the machine.
pub(crate) struct Panel {
    /// The last quick probe; locked while one runs.
    probed: tokio::sync::Mutex<Option<(Instant, Arc<Outcome>)>>,
    /// Held while the functional checks run.
    checking: Arc<tokio::sync::Mutex<()>>,
    run: Mutex<Run>,
    shown: watch::Sender<Shown>,
    /// Whether the sampler works.
    sampling: Mutex<bool>,
    places: Arc<Semaphore>,
}

/// The last run of the functional checks.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    /// Since when, if it has not ended.
    pub since: Option<Instant>,
    /// What runs now: device and check.
    pub now: Vec<(u32, String)>,
    /// The checks that ended, until `outcome` has all of them.
    pub ended: Vec<Check>,
    pub outcome: Option<Arc<Outcome>>,
}

/// The parts as they were last sent, as HTML.
#[derive(Debug, Clone, Default)]
struct Shown {
    parts: [Option<Arc<str>>; PARTS.len()],
    /// The server stops.
    over: bool,
}

impl Panel {
    pub(crate) fn new() -> Self {
        Self {
            probed: tokio::sync::Mutex::default(),
            checking: Arc::default(),
            run: Mutex::default(),
            shown: watch::Sender::new(Shown::default()),
            sampling: Mutex::default(),
            places: Arc::new(Semaphore::new(LISTENERS)),
        }
    }

    /// How the functional checks are doing.
    pub(super) fn run(&self) -> Run {
        self.locked().clone()
    }

    /// Ends all streams: the server stops.
    pub(crate) fn end(&self) {
        self.shown.send_modify(|shown| shown.over = true);
    }

    fn locked(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is known of the run, and shows it.
    fn progress(&self, change: impl FnOnce(&mut Run)) {
        let mut run = self.locked();
        change(&mut run);
        self.show(CHECKS, page::checks(&run));
    }

    fn tell(&self, progress: Progress) {
        self.progress(|run| match progress {
            Progress::Began(device, name) => {
                run.now.retain(|(other, _)| *other != device);
                run.now.push((device, name));
            }
            Progress::Ended(check) => {
                run.now.retain(|(device, _)| *device != check.device);
                run.ended.push(check);
            }
        });
    }

    /// Sends a part to all who listen, if it is another than before.
    fn show(&self, part: usize, html: String) {
        self.shown.send_if_modified(|shown| {
            let is_new = shown.parts[part].as_deref() != Some(&html);
            if is_new {
                shown.parts[part] = Some(html.into());
            }
            is_new
        });
    }
}

/// A quick probe of this machine, or one that was made a moment ago.
pub(crate) async fn quick(site: &Shared) -> Result<Arc<Outcome>, Failed> {
    let mut probed = site.panel.probed.lock().await;
    if let Some((at, outcome)) = &*probed
        && at.elapsed() < FRESH
    {
        return Ok(outcome.clone());
    }
    let outcome = ask(site, Level::Quick).await?;
    *probed = Some((Instant::now(), outcome.clone()));
    Ok(outcome)
}

/// A quick probe, unless it takes longer than a moment: then it goes on, and the next one who asks finds it.
pub(super) async fn soon(site: &Shared) -> Option<Arc<Outcome>> {
    let site = site.clone();
    let asked = tokio::spawn(async move { quick(&site).await });
    tokio::time::timeout(MOMENT, asked).await.ok()?.ok()?.ok()
}

/// Runs the functional checks as soon as no others run; they go on where nobody waits for them any more.
pub(crate) async fn functional(site: &Shared) -> Result<Arc<Outcome>, Failed> {
    let turn = site.panel.checking.clone().lock_owned().await;
    tokio::spawn(in_turn(site.clone(), turn)).await.unwrap_or_else(|_| Err(bug()))
}

/// Starts the functional checks, unless they run already.
pub(super) fn start_functional(site: &Shared) {
    if let Ok(turn) = site.panel.checking.clone().try_lock_owned() {
        site.panel.progress(|run| *run = begun());
        tokio::spawn(in_turn(site.clone(), turn));
    }
}

async fn in_turn(site: Shared, _turn: OwnedMutexGuard<()>) -> Result<Arc<Outcome>, Failed> {
    site.panel.progress(|run| *run = begun());
    let outcome = ask(&site, Level::Functional).await;
    site.panel.progress(|run| *run = Run { outcome: outcome.as_ref().ok().cloned(), ..Run::default() });
    outcome
}

fn begun() -> Run {
    Run { since: Some(Instant::now()), ..Run::default() }
}

/// Asks the machine on a thread of its own: a driver that hangs holds up nobody else.
async fn ask(site: &Shared, level: Level) -> Result<Arc<Outcome>, Failed> {
    let site = site.clone();
    let asked = tokio::task::spawn_blocking(move || {
        let tell = |progress| site.panel.tell(progress);
        Arc::new(run_telling(level, &options(&site), &tell))
    });
    asked.await.map_err(|_| bug())
}

fn options(site: &Shared) -> Options {
    Options { patience: PATIENCE, ..probe_options(&site.live.workspace()) }
}

fn bug() -> Failed {
    Failed::new(StatusCode::INTERNAL_SERVER_ERROR, "this is a bug in Faultbook")
}

/// Everything that changes from now on, as events.
///
/// # Errors
/// When too many listen already.
pub(super) fn listen(site: &Shared) -> Result<impl Stream<Item = Result<Event, Infallible>> + use<>, Failed> {
    let Ok(place) = site.panel.places.clone().try_acquire_owned() else {
        let words = format!("{LISTENERS} pages show this machine already: close one of them");
        return Err(Failed::new(StatusCode::SERVICE_UNAVAILABLE, words));
    };
    let mut sampling = site.panel.sampling.lock().unwrap_or_else(PoisonError::into_inner);
    let mut shown = site.panel.shown.subscribe();
    shown.mark_changed();
    if !*sampling {
        *sampling = true;
        tokio::spawn(sample(site.clone()));
    }
    let listener = Listener { shown, sent: Default::default(), waiting: VecDeque::new(), _place: place };
    Ok(unfold(listener, |mut listener| async move { Some((Ok(listener.next().await?), listener)) }))
}

struct Listener {
    shown: watch::Receiver<Shown>,
    sent: [Option<Arc<str>>; PARTS.len()],
    waiting: VecDeque<Event>,
    _place: OwnedSemaphorePermit,
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        while self.waiting.is_empty() {
            self.shown.changed().await.ok()?;
            let shown = self.shown.borrow_and_update().clone();
            if shown.over {
                return None;
            }
            for (place, name) in PARTS.into_iter().enumerate() {
                let Some(part) = &shown.parts[place] else { continue };
                if self.sent[place].as_ref().is_none_or(|sent| !Arc::ptr_eq(sent, part)) {
                    self.waiting.push_back(Event::default().event(name).data(part));
                    self.sent[place] = Some(part.clone());
                }
            }
        }
        self.waiting.pop_front()
    }
}

/// Takes samples until nobody listens any more.
async fn sample(site: Shared) {
    let options = options(&site);
    let mut watch = Some(Watch::new(options));
    let mut count = 0;
    while let Some(mut samples) = watch.take() {
        let taken = tokio::task::spawn_blocking(move || {
            samples.sample();
            samples
        });
        let Ok(samples) = taken.await else { break };
        site.panel.show(GPUS, gpus::sampled(&samples));
        if count % SAMPLES_PER_PROBE == 0
            && let Ok(outcome) = quick(&site).await
        {
            site.panel.show(DETAILS, page::details(&outcome));
        }
        count += 1;
        tokio::time::sleep(PAUSE).await;
        let mut sampling = site.panel.sampling.lock().unwrap_or_else(PoisonError::into_inner);
        if site.panel.shown.receiver_count() == 0 || site.panel.shown.borrow().over {
            *sampling = false;
            return;
        }
        watch = Some(samples);
    }
    *site.panel.sampling.lock().unwrap_or_else(PoisonError::into_inner) = false;
}
