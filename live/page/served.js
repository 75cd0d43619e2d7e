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
      await new Promise((resolve) => setTimeout(resolve, 1000));
      continue;
    }
    if (!find("#notice").hidden && find("#notice p").textContent.startsWith("The program does not")) say(null);
    if (news.saved === seen) continue;
    seen = news.saved;
    page.text = news.text;
    const before = { text: app.text, set: app.set, compare: app.compare, side: app.side };
    Object.assign(app, { text: news.text, set: new Map(), compare: null, side: 0 });
    while (app.stepping || app.busy) await new Promise((resolve) => setTimeout(resolve, 10));
    app.busy = true;
    try {
      await app.open();
      say(null);
      note("The scene was saved, and runs");
      app.play(true);
    } catch (error) {
      // What ran before goes on.
      Object.assign(app, before);
      root.dataset.error = error.message;
      app.editor.show(news.text, true);
      app.editor.refuse(error);
      app.tab("text");
      note("The saved scene has an error; the last good one goes on");
    } finally {
      app.busy = false;
    }
  }
}
