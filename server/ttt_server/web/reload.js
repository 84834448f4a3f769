// Loads the page again if one of its files is missing. Their addresses name the build, so a server
// of another version does not have them: no page runs files of two builds.
{
  const KEY = "ttt-reloads";
  const MOST = 10;
  const PAUSE_MS = 1000;

  const loadAgain = async () => {
    const answer = await fetch(location.href, { method: "HEAD" }).catch(() => null);
    if (answer?.ok) location.reload(); // else the page stays: the server is away
  };

  const missing = () => {
    const count = Number(sessionStorage.getItem(KEY)) + 1;
    sessionStorage.setItem(KEY, count);
    if (count <= MOST) setTimeout(loadAgain, PAUSE_MS);
  };

  addEventListener("error", ({ target }) => target.matches?.("script, link[rel=stylesheet]") && missing(), true);
  addEventListener("unhandledrejection", ({ reason }) => {
    if (reason instanceof TypeError && reason.message.includes("module")) missing(); // imported later
  });
  setTimeout(() => sessionStorage.removeItem(KEY), 2 * MOST * PAUSE_MS);
}
