// `seidel view`: the scene's file is watched by the program; what was saved is run at once.

/** Asks what has changed, again and again: the program answers when the file has been saved. */
async function watchForChanges(app, page) {
  let seen = page.saved;
  for (;;) {
    let news;
    try {
      const response = await fetch(`/saved?after=${seen}`);
      if (!response.ok) throw new Error(await response.text());
      news = await response.json();
    } catch {
      if (find("#notice").hidden) say("The program does not answer any more. Begin `seidel view` again: this page finds it.");
      return findAgain();
    }
    if (news.saved === seen) continue;
    seen = news.saved;
    page.text = news.text;
    const error = await app.openText(news.text);
    if (error === null) {
      say(null);
      note("The scene was saved, and runs");
      app.play(true);
    } else if (!app.isFatal(error)) {
      root.dataset.error = error.message;
      app.editor.show(news.text, true);
      app.editor.refuse(error);
      app.tab("text");
      note("The saved scene has an error; the last good one goes on");
    }
  }
}

/** Loads the page anew from a program that has been begun again: it knows nothing of this page. */
async function findAgain() {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    try {
      await fetch("/", { method: "HEAD" });
      return location.reload();
    } catch {
      // Not yet.
    }
  }
}
