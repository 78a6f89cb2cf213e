//! What a question is answered with: in the words, stages, results and limits of what is asked, and by which model.

mod ambiguity;
mod approval;
mod approved_relations;
mod candidates;
mod conversation;
mod derived;
mod endpoint;
mod endpoint_outcome;
mod engines;
mod first_questions;
mod gate;
mod judgement;
mod narration;
mod near_words;
mod parts;
mod prices;
mod progress;
mod refusals;
mod result_sentences;
mod same_answer;
mod second_look;
mod shown;
mod stages;
mod steps;
mod test_model;
mod waiting;
