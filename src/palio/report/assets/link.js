// An algorithm that is pointed at or pinned lights up in the table and in every figure.
"use strict";
