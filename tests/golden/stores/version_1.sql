-- A store of version 1: its tables, and what one run left in them.
CREATE TABLE runs (
  name TEXT NOT NULL PRIMARY KEY,
  experiment_name TEXT NOT NULL,
  experiment_file TEXT NOT NULL,
  estimator TEXT NOT NULL,
  engine TEXT NOT NULL,
  data_fingerprint TEXT NOT NULL,
  train_rows INTEGER NOT NULL,
  eval_rows INTEGER NOT NULL,
  created_at REAL NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  global_step INTEGER NOT NULL DEFAULT 0,
  max_steps INTEGER,
  updated_at REAL NOT NULL DEFAULT 0,
  started_at REAL,
  finished_at REAL
) STRICT;
CREATE INDEX runs_by_time ON runs (created_at);

CREATE TABLE parameters (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX parameters_by_path ON parameters (path, value);

CREATE TABLE evaluations (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  name TEXT NOT NULL,
  global_step INTEGER NOT NULL,
  position INTEGER NOT NULL,
  metric TEXT NOT NULL,
  value REAL,
  wall_time REAL NOT NULL,
  PRIMARY KEY (run, name, global_step, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  global_step INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  saved_at REAL NOT NULL,
  kept_because TEXT NOT NULL,
  PRIMARY KEY (run, global_step)
) STRICT, WITHOUT ROWID;

CREATE TABLE tags (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  folder TEXT NOT NULL,
  tag TEXT NOT NULL,
  count INTEGER NOT NULL,
  last_step INTEGER NOT NULL,
  last REAL,
  min REAL,
  min_step INTEGER NOT NULL,
  max REAL,
  max_step INTEGER NOT NULL,
  PRIMARY KEY (run, folder, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE exports (
  run TEXT NOT NULL REFERENCES runs (name) ON DELETE CASCADE,
  path TEXT NOT NULL,
  exporter TEXT NOT NULL,
  global_step INTEGER NOT NULL,
  exported_at REAL NOT NULL,
  PRIMARY KEY (run, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE annotations (
  run TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL DEFAULT '',
  notes TEXT NOT NULL DEFAULT '',
  star INTEGER NOT NULL DEFAULT 0,
  colour TEXT NOT NULL DEFAULT '',
  trashed_at REAL
) STRICT, WITHOUT ROWID;

CREATE TABLE annotation_tags (
  run TEXT NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;

INSERT INTO "runs" VALUES('run-001','faults','@PROJECT@/faults.cannery','dnn_classifier','cannery 0.1.0 x86-64-v3','4e524f5aafbf97a3',40,40,1.7952943695571029186e+09,'Finished','Reached step 3.',3,3,1.79529437004924082759e+09,1.79529436955714464183e+09,1.79529437004924082759e+09);
INSERT INTO "annotation_tags" VALUES('run-001','kept');
INSERT INTO "annotations" VALUES('run-001','An old run','Made by 0.1.0',0,'',NULL);
INSERT INTO "checkpoints" VALUES('run-001',2,1198,1.79529436987130570414e+09,'recent');
INSERT INTO "checkpoints" VALUES('run-001',3,1198,1.79529436987211179731e+09,'latest');
INSERT INTO "evaluations" VALUES('run-001','',1,0,'accuracy',0.7,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',1,1,'accuracy_baseline',0.525,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',1,2,'auc',8.40852130325814406397e-01,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',1,3,'auc_precision_recall',8.38224071030916340063e-01,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',1,4,'average_loss',5.82138064503669783178e-01,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',1,5,'label/mean',0.475,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',1,6,'loss',0.600944995880127,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',1,7,'precision',0.64,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',1,8,'prediction/mean',5.52724633365869522094e-01,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',1,9,'recall',8.42105263157894690095e-01,1.79529436987095761301e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,0,'accuracy',0.75,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,1,'accuracy_baseline',0.525,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,2,'auc',8.57142857142857095276e-01,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,3,'auc_precision_recall',8.53642809738866858992e-01,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,4,'average_loss',5.74797388911247209009e-01,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,5,'label/mean',0.475,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,6,'loss',5.92874407768249511718e-01,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,7,'precision',6.95652173913043458952e-01,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,8,'prediction/mean',5.49381820857524849621e-01,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',2,9,'recall',8.42105263157894690095e-01,1.79529436987178301807e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,0,'accuracy',0.75,1.79529437004898834227e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,1,'accuracy_baseline',0.525,1.79529437004898834227e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,2,'auc',8.60902255639097613304e-01,1.79529437004898834227e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,3,'auc_precision_recall',8.56542009586270580712e-01,1.79529437004898834227e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,4,'average_loss',5.67221701890230134424e-01,1.79529437004898834227e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,5,'label/mean',0.475,1.79529437004898834227e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,6,'loss',5.84316104650497436523e-01,1.79529437004898834227e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,7,'precision',6.95652173913043458952e-01,1.79529437004898834227e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,8,'prediction/mean',5.46252836287021592553e-01,1.79529437004898834227e+09);
INSERT INTO "evaluations" VALUES('run-001','',3,9,'recall',8.42105263157894690095e-01,1.79529437004898834227e+09);
INSERT INTO "parameters" VALUES('run-001',42,'estimator.dnn_classifier.activation_fn','relu');
INSERT INTO "parameters" VALUES('run-001',45,'estimator.dnn_classifier.batch_norm','false');
INSERT INTO "parameters" VALUES('run-001',43,'estimator.dnn_classifier.dropout','0.1');
INSERT INTO "parameters" VALUES('run-001',34,'estimator.dnn_classifier.feature_columns','["x", "colour_embedding"]');
INSERT INTO "parameters" VALUES('run-001',33,'estimator.dnn_classifier.hidden_units','[4]');
INSERT INTO "parameters" VALUES('run-001',44,'estimator.dnn_classifier.loss_reduction','SUM_OVER_BATCH_SIZE');
INSERT INTO "parameters" VALUES('run-001',35,'estimator.dnn_classifier.n_classes','2');
INSERT INTO "parameters" VALUES('run-001',40,'estimator.dnn_classifier.optimizer.adam.amsgrad','false');
INSERT INTO "parameters" VALUES('run-001',37,'estimator.dnn_classifier.optimizer.adam.beta_1','0.9');
INSERT INTO "parameters" VALUES('run-001',38,'estimator.dnn_classifier.optimizer.adam.beta_2','0.999');
INSERT INTO "parameters" VALUES('run-001',39,'estimator.dnn_classifier.optimizer.adam.epsilon','1e-07');
INSERT INTO "parameters" VALUES('run-001',36,'estimator.dnn_classifier.optimizer.adam.learning_rate','0.01');
INSERT INTO "parameters" VALUES('run-001',41,'estimator.dnn_classifier.optimizer.decay','0');
INSERT INTO "parameters" VALUES('run-001',47,'train_spec.input.batch_size','8');
INSERT INTO "parameters" VALUES('run-001',51,'train_spec.input.drop_remainder','false');
INSERT INTO "parameters" VALUES('run-001',50,'train_spec.input.num_epochs','0');
INSERT INTO "parameters" VALUES('run-001',48,'train_spec.input.shuffle','true');
INSERT INTO "parameters" VALUES('run-001',49,'train_spec.input.shuffle_seed','11');
INSERT INTO "parameters" VALUES('run-001',46,'train_spec.max_steps','3');
INSERT INTO "tags" VALUES('run-001','eval','accuracy',3,3,0.75,0.699999988079071,1,0.75,2);
INSERT INTO "tags" VALUES('run-001','eval','accuracy_baseline',3,3,5.24999976158142089843e-01,5.24999976158142089843e-01,1,5.24999976158142089843e-01,1);
INSERT INTO "tags" VALUES('run-001','eval','auc',3,3,8.60902249813079833984e-01,8.40852141380310058593e-01,1,8.60902249813079833984e-01,3);
INSERT INTO "tags" VALUES('run-001','eval','auc_precision_recall',3,3,8.56541991233825683593e-01,8.38224053382873535156e-01,1,8.56541991233825683593e-01,3);
INSERT INTO "tags" VALUES('run-001','eval','average_loss',3,3,5.6722170114517211914e-01,5.6722170114517211914e-01,3,5.821380615234375e-01,1);
INSERT INTO "tags" VALUES('run-001','eval','label/mean',3,3,4.7499999403953552246e-01,4.7499999403953552246e-01,1,4.7499999403953552246e-01,1);
INSERT INTO "tags" VALUES('run-001','eval','loss',3,3,5.84316134452819824218e-01,5.84316134452819824218e-01,3,0.600944995880127,1);
INSERT INTO "tags" VALUES('run-001','eval','precision',3,3,0.695652186870575,6.39999985694885253906e-01,1,0.695652186870575,2);
INSERT INTO "tags" VALUES('run-001','eval','prediction/mean',3,3,5.46252846717834472656e-01,5.46252846717834472656e-01,3,5.52724659442901611328e-01,1);
INSERT INTO "tags" VALUES('run-001','eval','recall',3,3,8.42105269432067871093e-01,8.42105269432067871093e-01,1,8.42105269432067871093e-01,1);
PRAGMA user_version = 1;
