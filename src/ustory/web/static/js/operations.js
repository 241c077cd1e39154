// Keeps the numbers true: the same page is fetched again, and its parts put in place.
import { renewEvery } from "./renew.js";

renewEvery(10000, ["renewed"]);
