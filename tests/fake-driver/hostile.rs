//! What broken and hostile drivers do inside their calls: `cuInit.do=daemon`. Every process that is started here writes
//! its number into the file that FAULTBOOK_FAKE_PIDS names.

use std::ffi::{c_char, c_int, c_ulong, c_void};
use std::io::Write;
use std::time::Duration;

extern "C" {
    fn fork() -> c_int;
    fn setsid() -> c_int;
    fn setpgid(pid: c_int, group: c_int) -> c_int;
    fn getpgid(pid: c_int) -> c_int;
    fn getppid() -> c_int;
    fn getpid() -> c_int;
    fn close(fd: c_int) -> c_int;
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn pipe(ends: *mut c_int) -> c_int;
    fn read(fd: c_int, bytes: *mut c_void, count: usize) -> isize;
    fn execve(path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char) -> c_int;
    fn exit(code: c_int) -> !;
    fn _exit(code: c_int) -> !;
    fn alarm(seconds: u32) -> u32;
    fn raise(signal: c_int) -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn signal(signal: c_int, handler: usize) -> usize;
    fn sigfillset(set: *mut c_ulong) -> c_int;
    fn sigprocmask(how: c_int, set: *const c_ulong, old: *mut c_ulong) -> c_int;
    fn clearenv() -> c_int;
    fn chdir(path: *const c_char) -> c_int;
    fn prctl(option: c_int, ...) -> c_int;
    fn ptrace(request: c_int, ...) -> i64;
    fn setrlimit(resource: c_int, limits: *const [u64; 2]) -> c_int;
    fn umask(mode: u32) -> u32;
}

const LONG: Duration = Duration::from_secs(600);

/// What is done for a word; afterwards the call goes on, where there is an afterwards.
pub(crate) fn act(word: &str) {
    unsafe {
        match word {
            "hang" => hang(),
            "spin" => loop {
                std::hint::spin_loop();
            },
            "fork" => child(&mut |_| ()),
            "fork-and-hang" => {
                child(&mut |_| ());
                hang();
            }
            "fork-and-abort" => {
                child(&mut |_| ());
                std::process::abort();
            }
            "forks" => (0..40).for_each(|_| child(&mut |_| ())),
            "session" => child(&mut |_| ignore(setsid())),
            "daemon" => daemon(false),
            "daemon-and-hang" => {
                daemon(false);
                hang();
            }
            "nameless-daemon" => daemon(true),
            "nameless-daemon-and-exit" => {
                daemon(true);
                _exit(0);
            }
            "heir-of-heirs" => child(&mut |_| {
                child(&mut |_| ignore(setsid()));
                setsid();
            }),
            "stubborn" => child(&mut |_| (1..32).for_each(|number| ignore(signal(number, 1)))),
            "reaper" => {
                prctl(36, 1 as c_ulong);
                daemon(false);
            }
            "other-group" => {
                setpgid(0, getpgid(getppid()));
                child(&mut |_| ());
                hang();
            }
            "close-all" => (0..256).for_each(|fd| ignore(close(fd))),
            "close-output" => ignore((close(1), close(2))),
            "output-to-pipe" => {
                let mut ends = [0; 2];
                pipe(ends.as_mut_ptr());
                dup2(ends[1], 1);
            }
            "garbage" => (0..2000).for_each(|n| print(&[0xff, 0x00, 0x1b, b'{', b'"', n as u8, b'\n'])),
            "one-long-line" => (0..200).for_each(|_| print(&[b'x'; 65536])),
            "chatter" => loop {
                print(b"still alive\n");
                std::thread::sleep(Duration::from_millis(50));
            },
            "complaints" => (0..200).for_each(|_| ignore(std::io::stderr().write_all(&[b'y'; 65536]))),
            "forged" => print(b"{\"facts\":[{},{}]}\n{\"begin\":\"nonsense\"}\n{\"end\":7}\n"),
            "exit" => exit(0),
            "exit-3" => exit(3),
            "exit-at-once" => _exit(0),
            "segv" => *(8 as *mut u32) = 1,
            "overflow" => ignore(std::hint::black_box(deep(1))),
            "stop" => ignore(raise(19)),
            "alarm" => {
                alarm(1);
                hang();
            }
            "kill-group" => ignore(kill(0, 15)),
            "block-signals" => {
                let mut set = [0 as c_ulong; 16];
                sigfillset(set.as_mut_ptr());
                sigprocmask(0, set.as_ptr(), std::ptr::null_mut());
                hang();
            }
            "no-death-with-parent" => {
                prctl(1, 0 as c_ulong);
                hang();
            }
            "clear-environment" => ignore(clearenv()),
            "elsewhere" => ignore((chdir(c"/".as_ptr()), umask(0o777))),
            "traced" => ignore((ptrace(0, 0, 0, 0), raise(5))),
            "no-files" => ignore(setrlimit(7, &[3, 3])),
            "threads" => (0..32).for_each(|_| ignore(std::thread::spawn(hang))),
            "eats" => ignore(Box::leak(vec![1_u8; 300 << 20].into_boxed_slice())),
            "reads" => {
                let mut ends = [0; 2];
                pipe(ends.as_mut_ptr());
                let mut byte = 0_u8;
                read(ends[0], (&raw mut byte).cast(), 1);
            }
            other => panic!("nobody knows {other}"),
        }
    }
}

fn ignore<T>(_answer: T) {}

fn hang() {
    std::thread::sleep(LONG);
}

#[allow(unconditional_recursion)]
fn deep(n: u64) -> u64 {
    let place = std::hint::black_box([n; 512]);
    deep(n + 1) + place[(n % 512) as usize]
}

fn print(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

/// Starts a process that stays for long.
unsafe fn child(first: &mut dyn FnMut(())) {
    if fork() == 0 {
        first(());
        note();
        hang();
        _exit(0);
    }
}

/// Starts a process that nothing ties to this one, not even a variable.
unsafe fn daemon(nameless: bool) {
    if fork() == 0 {
        setsid();
        if fork() == 0 {
            note();
            if nameless {
                let arguments = [c"sleep".as_ptr(), c"600".as_ptr(), std::ptr::null()];
                let nothing = [std::ptr::null()];
                execve(c"/bin/sleep".as_ptr(), arguments.as_ptr(), nothing.as_ptr());
            }
            hang();
        }
        _exit(0);
    }
    // It is there before this call returns.
    std::thread::sleep(Duration::from_millis(100));
}

unsafe fn note() {
    if let Ok(path) = std::env::var("FAULTBOOK_FAKE_PIDS") {
        if let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path) {
            let _ = file.write_all(format!("{}\n", getpid()).as_bytes());
        }
    }
}
