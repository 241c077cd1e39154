// Keeps the notices above the list true while a demo plays.
import { renewEvery } from "./renew.js";

if (document.querySelector("#notices[data-renew]")) renewEvery(3000, ["notices"]);
