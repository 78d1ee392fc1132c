BEGIN TRANSACTION;
CREATE TABLE conversations (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	title TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	updated_at DOUBLE NOT NULL, 
	version INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "conversations" VALUES('c_1','local','Old question',1764000000.5,1764000001.5,1);
CREATE TABLE databases (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	alias TEXT NOT NULL, 
	dialect VARCHAR(32) NOT NULL, 
	url_masked TEXT NOT NULL, 
	url_secret TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (owner, alias)
);
CREATE TABLE events (
	turn_id VARCHAR(64) NOT NULL, 
	seq INTEGER NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (turn_id, seq), 
	FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);
INSERT INTO "events" VALUES('t_1',0,'local','{"kind":"answer_delta","step":1,"content":"Old answer"}');
CREATE TABLE files (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	name TEXT NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	size BIGINT NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	message TEXT NOT NULL, 
	details TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (owner, name)
);
CREATE TABLE messages (
	conversation_id VARCHAR(64) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	through_turn INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (conversation_id), 
	FOREIGN KEY(conversation_id) REFERENCES conversations (id) ON DELETE CASCADE
);
INSERT INTO "messages" VALUES('c_1','local',1,'[]');
CREATE TABLE model_calls (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	conversation_id VARCHAR(64) NOT NULL, 
	turn_id VARCHAR(64) NOT NULL, 
	model TEXT NOT NULL, 
	settled BOOLEAN NOT NULL, 
	api_requests INTEGER NOT NULL, 
	input_tokens INTEGER NOT NULL, 
	cached_input_tokens INTEGER NOT NULL, 
	output_tokens INTEGER NOT NULL, 
	reasoning_tokens INTEGER NOT NULL, 
	api_cost_usd DOUBLE, 
	price_source VARCHAR(16) NOT NULL, 
	seconds DOUBLE NOT NULL, 
	created_at DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE results (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	source TEXT NOT NULL, 
	dialect VARCHAR(32) NOT NULL, 
	sql TEXT NOT NULL, 
	truncated BOOLEAN NOT NULL, 
	cut_by VARCHAR(8), 
	seconds DOUBLE NOT NULL, 
	notes TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	size BIGINT NOT NULL, 
	body BLOB, 
	PRIMARY KEY (id, owner)
);
CREATE TABLE schema_version (
	id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "schema_version" VALUES(1,1);
CREATE TABLE turns (
	id VARCHAR(64) NOT NULL, 
	owner VARCHAR(255) NOT NULL, 
	conversation_id VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	question TEXT NOT NULL, 
	model TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	started_at DOUBLE NOT NULL, 
	finished_at DOUBLE, 
	runner VARCHAR(128) NOT NULL, 
	heartbeat_at DOUBLE NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (conversation_id, number), 
	FOREIGN KEY(conversation_id) REFERENCES conversations (id) ON DELETE CASCADE
);
INSERT INTO "turns" VALUES('t_1','local','c_1',1,'Old question','scripted:demo','finished',1764000000.5,1764000001.5,'host:1:a',1764000001.0);
CREATE INDEX ix_conversations_owner ON conversations (owner, updated_at);
CREATE INDEX ix_results_owner ON results (owner, created_at);
CREATE INDEX ix_model_calls_turn ON model_calls (turn_id);
CREATE INDEX ix_model_calls_owner ON model_calls (owner, created_at);
CREATE UNIQUE INDEX ux_turns_running ON turns (conversation_id) WHERE state = 'running';
COMMIT;
