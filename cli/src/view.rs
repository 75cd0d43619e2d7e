//! `seidel view`: serves the page on the loopback address. The program itself is the engine, with all threads and
//! lanes. When the scene's file is saved, the page runs it anew.

use std::collections::VecDeque;
use std::error::Error;
use std::io::Read as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use seidel::Execution;
use seidel_io::scene;
use seidel_live::page::Page;
use seidel_live::{Reply, Session, Stop};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::args::ViewArgs;
use crate::page::{Shown, shown};
use crate::{memory, table};

/// Pages that are served at a time; the oldest goes. Each has one session, or two in a comparison.
const PAGES: usize = 8;
const SESSIONS: usize = 2;
/// Bytes of a request, at most: a mesh.
const LARGEST: usize = 1 << 30;
/// How often the scene's file is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How long a page waits for news before it asks again.
const PATIENCE: Duration = Duration::from_secs(20);

/// A session, and what ends a request to it that takes long.
#[derive(Clone)]
struct Seat {
    session: Arc<Mutex<Session>>,
    stop: Stop,
}

/// A page's sessions, by its number.
type Sessions = (u64, [Seat; SESSIONS]);

struct View {
    scene: Option<String>,
    set: Vec<String>,
    execution: Execution,
    memory: u64,
    host: [String; 2],
    pages: Mutex<(u64, VecDeque<Sessions>)>,
    /// How often the file has been saved, and its text.
    saved: Mutex<(u64, String)>,
    news: Condvar,
}

pub(crate) fn view(args: &ViewArgs) -> Result<ExitCode, Box<dyn Error>> {
    if args.scene.as_deref() == Some("-") {
        return Err("a scene from standard input can be read once, and every page wants it: name a file".into());
    }
    // An error in the scene is met here; later ones are shown in the page.
    let (_, spec) = shown(args.scene.as_deref(), &args.set)?;
    let memory = args.memory.map_or_else(memory::free, |given| given.as_u64());
    if let (Some(scene), Some(spec)) = (&args.scene, &spec) {
        scene::build_changed(scene, &args.set, spec, memory, &|_, _| {})?;
    }
    let threads = args.threads.map_or_else(|| Execution::default().threads, usize::from);
    seidel::rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    let (server, address) = listen(args.port)?;
    let view = Arc::new(View {
        scene: args.scene.clone(),
        set: args.set.clone(),
        execution: Execution::new(args.isa, threads),
        memory,
        host: [address.to_string(), format!("localhost:{}", address.port())],
        pages: Mutex::new((0, VecDeque::new())),
        saved: Mutex::new((0, String::new())),
        news: Condvar::new(),
    });
    if let Some(path) = args.scene.as_deref().filter(|scene| Path::new(scene).is_file()) {
        let (view, path) = (Arc::clone(&view), PathBuf::from(path));
        std::thread::spawn(move || view.watch(&path));
    }
    let server = Arc::new(server);
    let stop = Arc::clone(&server);
    ctrlc::set_handler(move || stop.unblock())?;
    table::print(&format!("http://{address}/ shows the scene: open it in a browser; Ctrl-C ends\n"))?;
    for request in server.incoming_requests() {
        let view = Arc::clone(&view);
        // One a request: a page that waits for news holds nobody up. Where no thread can be had, the page gets no
        // answer and asks again.
        let _ = std::thread::Builder::new().spawn(move || view.serve(request));
    }
    Ok(ExitCode::SUCCESS)
}

/// On the port that is asked for; without one on 8321, or on any that is free.
fn listen(port: Option<u16>) -> Result<(Server, SocketAddr), Box<dyn Error>> {
    const PORT: u16 = 8321;
    let at = |port| Server::http((Ipv4Addr::LOCALHOST, port));
    let server = match port {
        Some(port) => at(port).map_err(|e| format!("--port {port}: {e}; another program may have it"))?,
        None => at(PORT).or_else(|_| at(0)).map_err(|e| format!("no port can be listened on: {e}"))?,
    };
    let address = server.server_addr().to_ip().ok_or("no address of the internet protocol")?;
    Ok((server, address))
}

/// Locks it. Data that a thread was changing when it panicked are used as they are: a session with a fault is replaced.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn header(name: &str, value: &str) -> Header {
    // Both are ASCII.
    Header::from_bytes(name, value).unwrap_or_else(|()| unreachable!("{name}: {value}"))
}

impl Seat {
    /// The session. A page asks one thing after another, so one that asks again has given up what is still under way.
    fn session(&self) -> MutexGuard<'_, Session> {
        match self.session.try_lock() {
            Ok(session) => session,
            Err(TryLockError::Poisoned(left)) => left.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.stop.now();
                locked(&self.session)
            }
        }
    }
}

impl View {
    /// Answers one request; a reader that has gone is no error.
    fn serve(&self, mut request: Request) {
        let (status, kind, took, body) = match self.answer(&mut request) {
            Ok((kind, took, body)) => (200, kind, took, body),
            Err((status, what)) => (status, "text/plain; charset=utf-8", None, what.into_bytes()),
        };
        let mut response = Response::from_data(body)
            .with_status_code(status)
            .with_header(header("Content-Type", kind))
            .with_header(header("Cache-Control", "no-store"))
            .with_header(header("X-Content-Type-Options", "nosniff"))
            .with_header(header("X-Frame-Options", "DENY"))
            .with_header(header("Cross-Origin-Resource-Policy", "same-origin"));
        if let Some(took) = took {
            response = response.with_header(header("X-Took", &format!("{:.3}", took.as_secs_f64() * 1e3)));
        }
        let _ = request.respond(response);
    }

    /// Content type, the time that the engine took, and content; or a status and what is wrong.
    #[allow(clippy::type_complexity)]
    fn answer(&self, request: &mut Request) -> Result<(&'static str, Option<Duration>, Vec<u8>), (u16, String)> {
        self.admit(request)?;
        let missing = || (404, "there is no such page".to_owned());
        let url = request.url().to_owned();
        let path = url.split('?').next().unwrap_or_default();
        match (request.method(), path) {
            (Method::Get, "/") => Ok(("text/html; charset=utf-8", None, self.page().map_err(|e| (500, e))?)),
            (Method::Get, "/saved") => {
                let after = url.split_once("after=").and_then(|(_, n)| n.parse().ok()).ok_or_else(missing)?;
                Ok(("application/json", None, self.saved_after(after).into_bytes()))
            }
            (Method::Post, path) => {
                let number =
                    path.strip_prefix("/session/").and_then(|rest| rest.split_once('/')).ok_or_else(missing)?;
                let (Ok(page), Ok(number)) = (number.0.parse::<u64>(), number.1.parse::<usize>()) else {
                    return Err(missing());
                };
                let seat = {
                    let pages = locked(&self.pages);
                    let found = pages.1.iter().find(|(of, _)| *of == page).and_then(|(_, all)| all.get(number));
                    found.cloned().ok_or_else(|| (410, "this page is too old: load it again".to_owned()))?
                };
                let mut body = Vec::new();
                let read = request.as_reader().take(LARGEST as u64 + 1).read_to_end(&mut body);
                read.map_err(|e| (400, format!("the request was not read: {e}")))?;
                if body.len() > LARGEST {
                    return Err((413, format!("a request has {LARGEST} bytes at most")));
                }
                let length = body.first_chunk().map_or(0, |head| u32::from_le_bytes(*head)) as usize;
                let Some((json, bytes)) = body.get(4..).and_then(|rest| rest.split_at_checked(length)) else {
                    return Err((400, "a request that ends early".to_owned()));
                };
                let start = Instant::now();
                let mut session = seat.session();
                // A fault of the engine must not end the program. What it has left half done is not used again.
                let answered = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| session.answer(json, bytes)));
                let reply = answered.unwrap_or_else(|_| {
                    *session = session.anew();
                    Reply::fault("the engine has a fault; its message is in the terminal; open the scene again")
                });
                Ok(("application/octet-stream", Some(start.elapsed()), reply.encode()))
            }
            _ => Err(missing()),
        }
    }

    /// Refuses what does not come from this machine's own page: other names for this address (DNS rebinding), and pages
    /// of others.
    fn admit(&self, request: &Request) -> Result<(), (u16, String)> {
        let value = |name: &'static str| {
            let found = request.headers().iter().find(|header| header.field.equiv(name));
            found.map(|header| header.value.as_str().to_owned())
        };
        let host = value("Host").filter(|host| self.host.contains(host));
        let host =
            host.ok_or_else(|| (403, "the address of this page is the one that the program printed".to_owned()))?;
        // Pictures and scripts that another page asks for have no origin, but browsers say where they come from.
        let is_foreign = value("Origin").is_some_and(|origin| origin != format!("http://{host}"))
            || value("Sec-Fetch-Site").is_some_and(|site| site == "cross-site" || site == "same-site")
                && value("Sec-Fetch-Mode").is_none_or(|mode| mode != "navigate");
        if is_foreign { Err((403, "another page asks; that is refused".to_owned())) } else { Ok(()) }
    }

    /// A new page, with sessions of its own.
    fn page(&self) -> Result<Vec<u8>, String> {
        let seat = || {
            let beside = self.scene.as_deref().unwrap_or_default();
            let session = Session::beside(self.execution, self.memory, Path::new(beside));
            Seat { stop: session.stop(), session: Arc::new(Mutex::new(session)) }
        };
        let number = {
            let mut pages = locked(&self.pages);
            pages.0 += 1;
            let number = pages.0;
            pages.1.push_back((number, std::array::from_fn(|_| seat())));
            let excess = pages.1.len().saturating_sub(PAGES);
            // Nobody would hear what they are doing.
            pages.1.drain(..excess).flat_map(|(_, seats)| seats).for_each(|seat| seat.stop.now());
            number
        };
        let saved = locked(&self.saved).0;
        // The file may have an error by now: then the page opens its text, and says so.
        let shown = match (shown(self.scene.as_deref(), &self.set), &self.scene) {
            (Ok((shown, _)), _) => shown,
            (Err(_), Some(scene)) if Path::new(scene).is_file() => {
                Shown::Text(scene.clone(), std::fs::read_to_string(scene).map_err(|e| e.to_string())?)
            }
            (Err(error), _) => return Err(error.to_string()),
        };
        let mut page = Page { served: Some(number), saved, ..Page::default() };
        match &shown {
            Shown::First => {}
            Shown::Named(name) => page.scene = Some(name),
            Shown::Text(name, text) => page.text = Some((name, text)),
        }
        let mut out = Vec::new();
        page.write(&mut out).map_err(|e| e.to_string())?;
        Ok(out)
    }

    /// The number and text of the file, when the number is another than this; waits a while for it.
    fn saved_after(&self, after: u64) -> String {
        let waited = self.news.wait_timeout_while(locked(&self.saved), PATIENCE, |(saved, _)| *saved == after);
        let (saved, text) = match &waited {
            Ok((saved, _)) => (saved.0, saved.1.as_str()),
            Err(_) => (after, ""),
        };
        serde_json::json!({ "saved": saved, "text": text }).to_string()
    }

    /// Looks at the file again and again.
    fn watch(&self, path: &Path) {
        let state = || -> Option<(SystemTime, u64)> {
            let there = std::fs::metadata(path).ok()?;
            Some((there.modified().ok()?, there.len()))
        };
        let mut last = state();
        loop {
            std::thread::sleep(LOOK);
            let now = state();
            // Editors take a file away for a moment, or empty it.
            if now == last || now.is_none_or(|(_, length)| length == 0) {
                continue;
            }
            let Some(text) = self.text(path) else { continue };
            // One that is being written is read again.
            if state() != now {
                continue;
            }
            last = now;
            let mut saved = locked(&self.saved);
            *saved = (saved.0 + 1, text);
            self.news.notify_all();
        }
    }

    /// The file's text with the changes of the command line, or as it is if that cannot be.
    fn text(&self, path: &Path) -> Option<String> {
        let text = std::fs::read_to_string(path).ok()?;
        if self.set.is_empty() {
            return Some(text);
        }
        let changed = scene::parse_changed(path, &text, &self.set).and_then(|spec| scene::to_toml(&spec));
        Some(changed.unwrap_or(text))
    }
}
