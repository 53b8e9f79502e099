"use strict";
(() => {
  const { parents, leaf } = JSON.parse(document.getElementById("places").textContent);
  const root = document.documentElement;
  root.classList.add("scripted");
  const children = parents.map(() => []);
  const roots = [];
  parents.forEach((parent, place) => (parent < 0 ? roots : children[parent]).push(place));
  const article = (place) => document.getElementById("e" + place);
  const row = new Map([...document.querySelectorAll("nav a")].map((a) => [Number(a.hash.slice(2)), a]));
  const siblings = (place) => (parents[place] < 0 ? roots : children[parents[place]]);

  // The end of the newest way that leads on from a place.
  const end = (place) => {
    while (children[place].length) place = children[place][children[place].length - 1];
    return place;
  };

  const show = (last) => {
    const branch = new Set();
    for (let place = last; place >= 0; place = parents[place]) branch.add(place);
    parents.forEach((_, place) => {
      article(place)?.classList.toggle("off", !branch.has(place));
      row.get(place)?.classList.toggle("here", branch.has(place));
    });
    document.querySelectorAll(".branches").forEach((old) => old.remove());
    // From the end on: where a fork leads into an entry that is not shown, the next one that is carries the choice.
    let holder = null;
    branch.forEach((place) => {
      holder = article(place) ?? holder;
      const others = siblings(place);
      if (others.length > 1 && holder) holder.prepend(choice(others, others.indexOf(place)));
    });
  };

  const choice = (others, at) => {
    const line = document.createElement("div");
    line.className = "branches";
    const button = (text, to) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.disabled = to < 0 || to >= others.length;
      made.addEventListener("click", () => go(others[to], true));
      return made;
    };
    line.append(button("‹", at - 1), `branch ${at + 1} of ${others.length}`, button("›", at + 1));
    return line;
  };

  const go = (place, scroll) => {
    show(end(place));
    document.querySelectorAll("nav .current").forEach((old) => old.classList.remove("current"));
    while (place >= 0 && !article(place)) place = children[place][0] ?? -1;
    row.get(place)?.classList.add("current");
    if (scroll) article(place)?.scrollIntoView({ block: "start" });
  };

  const fromAddress = () => {
    const place = /^#e\d+$/.test(location.hash) ? Number(location.hash.slice(2)) : -1;
    if (place in parents) go(place, true);
  };

  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.classList.contains("dark")
      || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
    root.classList.toggle("dark", !dark);
    root.classList.toggle("light", dark);
  });
  document.getElementById("unfold").addEventListener("click", () => {
    const all = [...document.querySelectorAll("main details")];
    const open = !all.every((one) => one.open);
    all.forEach((one) => { one.open = open; });
  });
  addEventListener("hashchange", fromAddress);
  if (leaf >= 0) show(leaf);
  else if (parents.length) show(end(roots[roots.length - 1]));
  fromAddress();
})();
