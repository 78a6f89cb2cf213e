mod planted;
mod rules;
mod spaces;
