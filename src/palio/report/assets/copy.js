// Tables that are copied as LaTeX, Markdown or CSV.
"use strict";
