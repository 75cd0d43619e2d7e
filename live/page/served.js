// `seidel view`: the scene's file is watched by the program; what was saved is run at once.

/** Asks what has changed, again and again: the program answers when the file has been saved. */
async function watchForChanges(app, page) {
  let seen = page.saved, isLost = false;
  for (;;) {
    let news;
    try {
      const response = await fetch(`/saved?after=${seen}`);
      if (!response.ok) throw new Error(await response.text());
      news = await response.json();
    } catch {
      isLost = true;
      if (find("#notice").hidden) say("The program does not answer any more. Begin `seidel view` again: this page finds it.");
      await new Promise((resolve) => setTimeout(resolve, 1000));
      continue;
    }
    // Another program, which knows nothing of this page.
    if (isLost) return location.reload();
    if (news.saved === seen) continue;
    seen = news.saved;
    page.text = news.text;
    if (await app.openText(news.text)) {
      say(null);
      note("The scene was saved, and runs");
      app.play(true);
    } else if (!app.panes.some((pane) => pane.engine.dead)) {
      root.dataset.error = find("#text .refused").textContent;
      app.editor.show(news.text, true);
      app.tab("text");
      note("The saved scene has an error; the last good one goes on");
    }
  }
}
