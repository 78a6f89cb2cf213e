//! What nobody may do, see, spend or break.

mod corpus;
mod generated;
mod hostile;
mod hostile_files;
mod injection;
mod large_inputs;
mod limits;
mod misuse;
mod policy;
mod protection;
mod sessions;
mod understanding_privileges;
mod versions;
mod visibility;
mod withheld;
