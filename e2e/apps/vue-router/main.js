import "../tracklet.ts";
import { createApp } from "vue";
import { createRouter, createWebHashHistory, createWebHistory } from "vue-router";
import App from "./App.vue";
import View from "./View.vue";

const isHash = document.documentElement.dataset.history === "hash";

const router = createRouter({
  history: isHash ? createWebHashHistory() : createWebHistory(),
  routes: [
    { path: "/old", redirect: "/new" },
    { path: "/:path(.*)", component: View },
  ],
});

createApp(App).use(router).mount("#root");
