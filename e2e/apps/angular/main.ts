import "../tracklet";
import { Component, inject } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { provideRouter, Router, RouterLink, RouterOutlet } from "@angular/router";
import { LINKS } from "../links";

@Component({ selector: "app-view", template: `<main [attr.data-view]="navigation()?.finalUrl">Page</main>` })
class View {
  readonly navigation = inject(Router).lastSuccessfulNavigation;
}

@Component({
  selector: "app-root",
  imports: [RouterLink, RouterOutlet],
  template: `
    <nav>
      @for (link of links; track link.id) {
        <a [id]="link.id" [routerLink]="link.to">{{ link.id }}</a>
      }
    </nav>
    <router-outlet />
  `,
})
class App {
  readonly #router = inject(Router);
  readonly links = Object.entries(LINKS).map(([id, to]) => ({ id, to: this.#router.parseUrl(to) }));
}

bootstrapApplication(App, {
  providers: [
    provideRouter([
      { path: "old", redirectTo: "new" },
      { path: "**", component: View },
    ]),
  ],
});
