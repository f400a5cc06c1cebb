// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <functional>

using namespace cannery::tests;

namespace {

/// Something wrong with a project.
struct Mishap
{
    const char* name;
    std::function<void(const ProjectFixture&)> arrange;
    QStringList arguments;
    int exitCode;
    const char* sentence; ///< expected on stderr; @ is the project's folder
};

QStringList train(const QStringList& more = {})
{
    return QStringList{"train", "fixture.cannery", "--model-dir", "model", "--quiet"} + more;
}

QString folderOf(const ProjectFixture& project)
{
    return QFileInfo(project.path("table.csv")).path();
}

void trainFirst(const ProjectFixture& project)
{
    const ProgramResult result = project.run(train());
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
}

/// Of the table itself.
std::vector<Mishap> mishapsOfData()
{
    return {
        {"missing experiment",
         {},
         {"train", "nothing.cannery"},
         3,
         "nothing.cannery: error: There is no experiment file 'nothing.cannery': check "
         "the path, or make one with 'cannery new'."},
        {"missing data file", [](const ProjectFixture& p) { QFile::remove(p.path("table.csv")); },
         train(), 3,
         "error: No file matches @/table.csv. Correct the path; it is relative to the "
         "experiment."},
        {"empty data file", [](const ProjectFixture& p) { p.write("table.csv", ""); }, train(), 3,
         "error: The file @/table.csv is empty. It needs a header and at least one row."},
        {"header only",
         [](const ProjectFixture& p) { p.write("table.csv", "id,x,y,colour,label\n"); }, train(), 3,
         "error: @/table.csv has a header but no rows. Name a file that has at least one "
         "row."},
    };
}

std::vector<Mishap> mishapsOfLabels()
{
    return {
        {"wrong label",
         [](const ProjectFixture& p) {
             p.write("fixture.cannery", p.experiment("column: \"label\"", "column: \"lable\""));
         },
         train(), 3,
         "error: @/table.csv has no label column \"lable\". Did you mean 'label'? Name "
         "the label in data.label."},
        {"label out of range",
         [](const ProjectFixture& p) {
             p.write("table.csv", "id,x,y,colour,label\n1,2,3,red,0\n2,2,4,red,5\n");
         },
         train(), 3,
         "error: @/table.csv:3: label 5 is not between 0 and 1. Correct it, give other classes a "
         "label_vocabulary, or leave out such rows (data.bad_rows: SKIP)."},
        {"label not in the vocabulary",
         [](const ProjectFixture& p) {
             p.write("table.csv", "id,x,y,colour,label\n1,2,3,red,no\n2,2,4,red,maybe\n");
             p.write("fixture.cannery",
                     p.experiment("dropout: 0.1", "label_vocabulary: [\"no\", \"yes\"]"));
         },
         train(), 3,
         "error: @/table.csv:3: label 'maybe' is not in the label_vocabulary. Known: no, "
         "yes. Correct it, add it to the label_vocabulary, or leave out such rows "
         "(data.bad_rows: SKIP)."},
        {"NaN label",
         [](const ProjectFixture& p) {
             p.write("table.csv", "id,x,y,colour,label\n1,2,3,red,0\n2,2,4,red,nan\n");
         },
         train(), 3,
         "error: @/table.csv:3: the label is missing. Remove the row, or leave out rows without a "
         "label "
         "(data.unlabelled_rows: SKIP) or all that cannot be used (data.bad_rows: SKIP)."},
    };
}

/// Of columns and fields of the experiment.
std::vector<Mishap> mishapsOfColumns()
{
    return {
        {"all-missing column",
         [](const ProjectFixture& p) {
             p.write("table.csv", "id,x,y,colour,label\n1,,3,red,0\n2,,4,red,1\n");
         },
         train(), 3,
         "error: Numeric column 'x' cannot read feature 'x', which is text. Use a categorical "
         "column with an indicator or embedding column, or give the data column a numeric dtype."},
        {"vocabulary file missing",
         [](const ProjectFixture& p) {
             p.write("fixture.cannery",
                     p.experiment("categorical_column_with_vocabulary_list { key: \"colour\" "
                                  "vocabulary_list: [\"red\", \"green\", \"blue\"] }",
                                  "categorical_column_with_vocabulary_file { key: \"colour\" "
                                  "vocabulary_file: \"colours.txt\" }"));
         },
         train(), 3,
         "fixture.cannery:9:106: error: The vocabulary of feature column 'colour' cannot be read. "
         "Cannot open @/colours.txt: No such file or directory. Check the path. "
         "[feature_column[colour].categorical_column_with_vocabulary_file.vocabulary_file]"},
        {"model_dir of another experiment", trainFirst,
         train({"--set", "estimator.dnn_classifier.hidden_units=[9,4]"}), 5,
         "error: model belongs to another experiment; estimator.dnn_classifier.hidden_units: [8, "
         "4] -> [9, 4]. Choose another model_dir, or undo these changes."},
        {"misspelt field",
         [](const ProjectFixture& p) {
             p.write("fixture.cannery", p.experiment("hidden_units", "hiden_units"));
         },
         train(), 3,
         "fixture.cannery:14:5: error: 'dnn_classifier' has no field 'hiden_units'. Did "
         "you mean 'hidden_units'? [estimator.dnn_classifier.hiden_units]"},
    };
}

std::vector<Mishap> mishapsOfCommands()
{
    return {
        {"unknown option",
         {},
         {"train", "fixture.cannery", "--model-dri", "x"},
         2,
         "error: The following arguments were not expected: x --model-dri. Did you mean "
         "'--model-dir'? Try 'cannery help train'."},
        {"unknown command",
         {},
         {"trian"},
         2,
         "error: Unknown command 'trian'. Did you mean 'train'?"},
        {"no checkpoint",
         {},
         {"evaluate", "fixture.cannery", "--model-dir", "model"},
         5,
         "error: There is no folder model; name a run or a model_dir."},
        {"NaN loss",
         {},
         train({"--set", "estimator.dnn_classifier.optimizer=sgd { learning_rate: 1e30 }"}),
         4,
         "error: The loss became NaN at step 2. The first bad tensor is dnn/hiddenlayer_0/bias "
         "(NaN in 8, infinite in 0 of 8 values). Lower the learning rate, clip the gradients, or "
         "look for extreme values in the data; earlier checkpoints are intact."},
    };
}

/// Rows of lists.csv for a recurrent network.
std::function<void(const ProjectFixture&)> lists(const char* rows)
{
    return [rows](const ProjectFixture& project) {
        project.write("lists.csv", QByteArray("pages,seconds,ordered\n") + rows);
        project.write("lists.cannery", R"(data {
  train { csv { files: "lists.csv" } }
  eval { csv { files: "lists.csv" } }
  label { column: "ordered" }
  feature { name: "page" split { column: "pages" } }
  feature { name: "seconds" split { column: "seconds" dtype: float32 } }
}
feature_column { name: "page" sequence_categorical_column_with_hash_bucket { key: "page" hash_bucket_size: 4 } }
feature_column { name: "pages" indicator_column { categorical_column: "page" } }
feature_column { name: "seconds" sequence_numeric_column { key: "seconds" } }
estimator { rnn_classifier { units: 2 sequence_feature_columns: ["pages", "seconds"] } }
train_spec { max_steps: 2 input { batch_size: 2 } }
)");
    };
}

std::vector<Mishap> mishapsOfSequences()
{
    const QStringList train{"train", "lists.cannery", "--model-dir", "model", "--quiet"};
    return {
        {"NaN in a sequence", lists("home|cart,1|nan,1\nhome,2,0\n"), train, 3,
         "error: @/lists.csv:2: the piece \"nan\" of feature seconds is not a valid float32. "
         "Correct it, read the pieces as string, or set bad_rows to SKIP."},
        {"sequences of two lengths", lists("home|cart,1|2,1\nhome,2|3,0\n"), train, 3,
         "error: @/lists.csv:3: the sequence 'page' has 1 steps, but 'seconds' has 2. All "
         "sequences of a row need the same number: correct the row, or leave one of them out of "
         "sequence_feature_columns."},
    };
}

const std::vector<Mishap>& mishaps()
{
    static const std::vector<Mishap> kAll = [] {
        std::vector<Mishap> all;
        for (auto* part : {mishapsOfData, mishapsOfLabels, mishapsOfColumns, mishapsOfSequences,
                           mishapsOfCommands}) {
            const std::vector<Mishap> some = part();
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }();
    return kAll;
}

} // namespace

/// Whatever is wrong: one sentence, the promised exit code, and nothing lost.
class TstBadInput : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhatIsWrongAndTheCure_data();
    void saysWhatIsWrongAndTheCure();
    void twoTrainingsInOneFolderAreRefused();
    void damagedCheckpointIsRefused();
    void checkRefusesALabelThatTheHeadCannotLearn();
};

void TstBadInput::saysWhatIsWrongAndTheCure_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < mishaps().size(); ++i) {
        QTest::newRow(mishaps()[i].name) << static_cast<int>(i);
    }
}

void TstBadInput::saysWhatIsWrongAndTheCure()
{
    QFETCH(int, index);
    const Mishap& mishap = mishaps()[static_cast<std::size_t>(index)];
    const ProjectFixture project;
    if (mishap.arrange) {
        mishap.arrange(project);
    }
    const ProgramResult result = project.run(mishap.arguments);
    QVERIFY2(result.exitCode == mishap.exitCode,
             qPrintable(QString("exit %1: %2").arg(result.exitCode).arg(result.err)));
    QCOMPARE(result.err, QString(mishap.sentence).replace('@', folderOf(project)) + "\n");
    QVERIFY(result.out.isEmpty());
}

void TstBadInput::twoTrainingsInOneFolderAreRefused()
{
    const ProjectFixture project;
    const QStringList endless = train({"--set", "train_spec.max_steps=100000000"});
    const std::unique_ptr<QProcess> first = project.start(endless);
    QTRY_VERIFY_WITH_TIMEOUT(project.exists("model/checkpoint"), kPatience);
    const ProgramResult second = project.run(endless);
    QCOMPARE(second.exitCode, 1);
    QCOMPARE(second.err, QString("error: model is being trained by process %1 on %2; stop that "
                                 "process or choose another folder.\n")
                             .arg(first->processId())
                             .arg(QSysInfo::machineHostName()));
    first->kill();
    first->waitForFinished();
}

void TstBadInput::damagedCheckpointIsRefused()
{
    const ProjectFixture project;
    project.spoils();
    trainFirst(project);
    const QString data = "model/model.ckpt-60.data-00000-of-00001";
    QByteArray bytes = project.read(data);
    bytes[0] = static_cast<char>(bytes[0] ^ 1); // of dnn/hiddenlayer_0/bias
    project.write(data, bytes);
    const ProgramResult result =
        project.run({"evaluate", "fixture.cannery", "--model-dir", "model"});
    QCOMPARE(result.exitCode, 5);
    QCOMPARE(result.err,
             QString("error: The checkpoint model/model.ckpt-60 is damaged: the checksum of a "
                     "tensor is wrong. Use an earlier checkpoint. [reading "
                     "dnn/hiddenlayer_0/bias; older checkpoints are there: steps 0, 20, 40]\n"));
}

void TstBadInput::checkRefusesALabelThatTheHeadCannotLearn()
{
    const ProjectFixture project;
    project.write("t.csv", "word,x\na,1.5\nb,2.5\na,3.5\n");
    const QByteArray experiment =
        R"(data { train { csv { files: "t.csv" } } label { column: "LABEL" } }
estimator { HEAD } train_spec { max_steps: 1 })";
    const auto checked = [&](const char* label, const char* head) {
        project.write("e.cannery",
                      QByteArray(experiment).replace("LABEL", label).replace("HEAD", head));
        return project.run({"check", "e.cannery"});
    };
    QCOMPARE(checked("x", "baseline_regressor {}").exitCode, 0);
    const ProgramResult words = checked("word", "baseline_regressor {}");
    QCOMPARE(words.exitCode, 3);
    QVERIFY2(words.out.contains("e.cannery:1:") &&
                 words.out.contains("a regression learns numbers"),
             qPrintable(words.out));
    const ProgramResult classes = checked("word", "baseline_classifier {}");
    QCOMPARE(classes.exitCode, 3);
    QVERIFY2(classes.out.contains("list the classes in it"), qPrintable(classes.out));
    const ProgramResult fractions = checked("x", "baseline_classifier { n_classes: 3 }");
    QCOMPARE(fractions.exitCode, 3);
    QVERIFY2(fractions.out.contains("class ids are integers"), qPrintable(fractions.out));
}

CANNERY_TEST(TstBadInput)
#include "tst_bad_input.moc"
