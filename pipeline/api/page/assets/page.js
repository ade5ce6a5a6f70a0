"use strict";
// The page works without this file. With it, Enter searches, and a word on a hit is thanked for.

const query = document.querySelector("[data-enter]");
query?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    query.form.requestSubmit();
  }
});

for (const form of document.querySelectorAll("[data-said]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    const status = form.querySelector("[role=status]");
    try {
      const answer = await fetch(form.action, { method: "POST", body });
      status.textContent = answer.ok ? "Thank you, noted." : "This could not be noted.";
    } catch {
      status.textContent = "This could not be noted.";
    }
  });
}
