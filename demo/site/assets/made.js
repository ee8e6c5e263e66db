/** Says that the numbers hold events that were made, and takes them out at a click. */
const line = document.querySelector("[data-made]");
const [text, button] = [line.querySelector("span"), line.querySelector("button")];

const answer = await (await fetch("/made-events")).json();
line.hidden = answer.events === 0;
text.textContent = `The numbers hold 100 days of events that were made up, ${answer.events.toLocaleString()} of them, each with "made": true.`;
button.addEventListener("click", async () => {
  button.disabled = true;
  const { events } = await (await fetch("/made-events/remove", { method: "POST" })).json();
  text.textContent = `${events.toLocaleString()} made-up events are gone; the numbers follow in a moment.`;
  button.hidden = true;
});
