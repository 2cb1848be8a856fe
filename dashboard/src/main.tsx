import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { applyTheme } from "./shell/theme.ts";
import "./styles/base.css";

applyTheme();
const place = document.getElementById("root");
if (place === null) throw new Error("index.html has no #root");
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
