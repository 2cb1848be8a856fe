-- What an operator has told a worker to do, as it stands: JSON, null for nothing.
alter table worker add column orders text;
