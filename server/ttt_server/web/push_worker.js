// The service worker of notices: it shows what the server pushes, and opens its page. It does nothing else.

self.addEventListener("push", (event) => {
  const { id, text, path } = event.data.json();
  event.waitUntil(
    self.registration.showNotification(text, {
      tag: id, // a notice that is sent twice is shown once
      data: path,
      icon: new URL("web/icon-192.png", self.location).href,
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(new URL(event.notification.data, self.location).href));
});

/** Show the page at an address: in its tab, if there is one. */
async function show(address) {
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find(({ url }) => url.split("#")[0] === address);
  await (tab ? tab.focus() : self.clients.openWindow(address));
}
