// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/tf_config.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace cannery;
using namespace cannery::cluster;
using Json = nlohmann::json;

/// TF_CONFIG means what it means to tf.estimator.RunConfig. The table is tf_config_cases.json: the
/// cases of TensorFlow's own test, and more. tests/interop/test_tf_config.py compares each with
/// RunConfig; "tensorflow" says where we decide otherwise.
class TstTfConfig : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void meansWhatItMeansToTensorFlow_data();
    void meansWhatItMeansToTensorFlow();
    void absenceIsNoError();
    void textThatIsNotJsonIsShownUpToTheMistake();
    void nestingDoesNotOverflow();
    void damagedTextIsReadOrRefused();
    void everyMistakeHasItsSentence();
    void isWrittenAsKubeflowWritesIt();
    void everyTaskOfAJobSeesTheSameCluster();
    void modelDirsAgree();

private:
    static Json table();
};

namespace {

Task task(TaskType type, int index, const std::string& address)
{
    return {type, index, address};
}

/// The tasks of Kubeflow's TFJob "mnist" in namespace "ml".
std::vector<Task> kubeflowTasks()
{
    return {task(TaskType::Worker, 0, "mnist-worker-0.ml.svc:2222"),
            task(TaskType::Worker, 1, "mnist-worker-1.ml.svc:2222"),
            task(TaskType::ParameterServer, 0, "mnist-ps-0.ml.svc:2222"),
            task(TaskType::Evaluator, 0, "mnist-evaluator-0.ml.svc:2222"),
            task(TaskType::Chief, 0, "mnist-chief-0.ml.svc:2222")};
}

Error errorOf(std::string_view json)
{
    const auto spec = readTfConfig(json);
    return spec ? Error{} : spec.error();
}

} // namespace

Json TstTfConfig::table()
{
    std::ifstream file(CANNERY_SOURCE_DIR "/tests/core/cluster/tf_config_cases.json");
    return Json::parse(file, nullptr, false);
}

void TstTfConfig::meansWhatItMeansToTensorFlow_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
    const Json all = table();
    QVERIFY(all.is_object() && all["cases"].size() > 110);
    for (const Json& row : all["cases"]) {
        Json config = row["tf_config"];
        if (config.is_object() && config.contains("cluster") && config["cluster"].is_string()) {
            config["cluster"] = all["clusters"][config["cluster"].get<std::string>()];
        }
        QTest::newRow(row["rule"].get<std::string>().c_str())
            << QByteArray::fromStdString(config.dump()) << QByteArray::fromStdString(row.dump());
    }
}

void TstTfConfig::meansWhatItMeansToTensorFlow()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QByteArray, expected);
    const Json row = Json::parse(expected.toStdString());
    const auto read = readTfConfig(text.toStdString());
    if (row.contains("error")) {
        VERIFY_ERROR(read, row["error"].get<std::string>().c_str());
        return;
    }
    VERIFY_OK(read);
    QVERIFY(read->has_value());
    const ClusterSpec& spec = **read;
    QCOMPARE(describe(spec.type, spec.index), row["task"].get<std::string>());
    QCOMPARE(spec.rank(), row["rank"].get<int>());
    QCOMPARE(spec.isChief(), row["leads"].get<bool>());
    QCOMPARE(spec.workerCount(), row["workers"].get<int>());
    QCOMPARE(spec.parameterServerCount(), row["ps"].get<int>());
    QCOMPARE(spec.ownAddress(), row["own"].get<std::string>());
    QCOMPARE(spec.modelDir, row.value("model_dir", std::string()));
    QCOMPARE(spec.warnings.size(), row.value("warnings", std::size_t{0}));
    QCOMPARE(spec.chiefIsMaster, row.value("master", false));
    QCOMPARE(spec.isSparse, row.value("sparse", false));
    QVERIFY(!spec.isChief() || spec.chiefAddress() == spec.ownAddress());
}

/// An operator gives a job with one replica no TF_CONFIG at all.
void TstTfConfig::absenceIsNoError()
{
    for (const Environment& environment :
         {Environment{}, Environment{{"TF_CONFIG", ""}}, Environment{{"TF_CONFIG", " \n"}}}) {
        const auto spec = readTfConfig(environment);
        VERIFY_OK(spec);
        QVERIFY(!spec->has_value());
    }
    const auto spec = readTfConfig(Environment{{"TF_CONFIG", R"({"model_dir": "/m"})"}});
    VERIFY_OK(spec);
    QVERIFY(spec->has_value() && (*spec)->isAlone());
    QCOMPARE((*spec)->modelDir, std::string("/m"));
}

void TstTfConfig::textThatIsNotJsonIsShownUpToTheMistake()
{
    const Error python = errorOf("{'cluster': {}}");
    QCOMPARE(python.id, std::string("cluster.not_json"));
    QCOMPARE(python.arguments, (std::vector<std::string>{"{'", "2"}));
    const Error cut = errorOf(R"({"cluster": {"worker": ["a:1", "b:1"])");
    QCOMPARE(cut.arguments.front(), std::string(R"(er": {"worker": ["a:1", "b:1"])"));
    QCOMPARE(errorOf(R"({"cluster": {"worker": ["a:1",]}})").arguments.front(),
             std::string(R"("cluster": {"worker": ["a:1",])"));
    QCOMPARE(errorOf("{} {}").id, std::string("cluster.not_json"));
    QCOMPARE(errorOf("{\"a\xff\": 1}").id, std::string("cluster.not_json"));
    QCOMPARE(errorOf("\x1b[2J").arguments.front(), std::string("\\u001b"));
}

/// The index is shown in the sentence, whatever it is.
void TstTfConfig::nestingDoesNotOverflow()
{
    const std::size_t depth = 1 << 17;
    const std::string nested = std::string(depth, '[') + std::string(depth, ']');
    QCOMPARE(errorOf(R"({"task": {"index": )" + nested + "}}").id,
             std::string("cluster.bad_index"));
    QCOMPARE(errorOf(R"({"model_dir": )" + nested + "}").id, std::string("cluster.wrong_type"));
    QCOMPARE(errorOf(std::string(depth, '{')).id, std::string("cluster.not_json"));
}

/// Whatever byte is missing, doubled or another one: a cluster in which this process has its place,
/// or an error with a sentence.
void TstTfConfig::damagedTextIsReadOrRefused()
{
    const std::string whole = writeTfConfig(kubeflowTasks(), TaskType::Worker, 1);
    int readable = 0;
    const auto check = [&](const std::string& text) {
        const auto read = readTfConfig(text);
        if (!read) {
            return read.error().id.starts_with("cluster.") && !read.error().sentence.empty();
        }
        ++readable;
        const ClusterSpec& spec = **read;
        return spec.isAlone() || spec.type == TaskType::Evaluator ||
               spec.tasks.at(static_cast<std::size_t>(spec.rank())).address == spec.ownAddress();
    };
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string text = whole;
        QVERIFY2(check(text.erase(at, 1)), text.c_str());
        text = whole;
        QVERIFY2(check(text.insert(at, 1, whole[at])), text.c_str());
        QVERIFY2(check(whole.substr(0, at + 1)), text.c_str());
        for (const char other : {'\0', '"', '{', ']', ',', ':', '9', '-', '\\', '\x80'}) {
            text = whole;
            text[at] = other;
            QVERIFY2(check(text), text.c_str());
        }
    }
    QVERIFY(readable > 100); // such as another letter in a host's name
}

void TstTfConfig::everyMistakeHasItsSentence()
{
    const std::string one = R"("cluster": {"chief": ["c:1"]})";
    QCOMPARE(errorOf("{" + one + R"(, "task": {"type": "chief", "index": 3}})").sentence,
             std::string("TF_CONFIG says that this process is chief 3, which its cluster does not "
                         "list: the last one is chief 0."));
    QCOMPARE(
        errorOf("{" + one + R"(, "task": {"type": "ps", "index": 0}})").sentence,
        std::string("TF_CONFIG says that this process is ps 0, but its cluster has no tasks of "
                    "that type."));
    QCOMPARE(errorOf("{" + one + "}").sentence,
             std::string("TF_CONFIG has a cluster but does not say which task of it this process "
                         "is: the type of the task is missing. Add \"task\": {\"type\": "
                         "\"worker\", \"index\": 0}."));
    QCOMPARE(errorOf(R"({"cluster": {"chief": ["c:1"], "worker": ["c:1"]},
                         "task": {"type": "chief", "index": 0}})")
                 .sentence,
             std::string("Both chief 0 and worker 0 have the address c:1. Give every task of the "
                         "cluster an address of its own."));
    QCOMPARE(
        errorOf(R"({"cluster": {"chief": true}})").sentence,
        std::string("In TF_CONFIG, \"chief\" of the cluster must be a list of addresses, or an "
                    "object that maps indices to them, not true or false."));
}

void TstTfConfig::isWrittenAsKubeflowWritesIt()
{
    QCOMPARE(writeTfConfig(kubeflowTasks(), TaskType::Worker, 1),
             std::string(R"({"cluster":{"chief":["mnist-chief-0.ml.svc:2222"],)"
                         R"("evaluator":["mnist-evaluator-0.ml.svc:2222"],)"
                         R"("ps":["mnist-ps-0.ml.svc:2222"],)"
                         R"("worker":["mnist-worker-0.ml.svc:2222","mnist-worker-1.ml.svc:2222"]},)"
                         R"("task":{"type":"worker","index":1},"environment":"cloud"})"));
}

void TstTfConfig::everyTaskOfAJobSeesTheSameCluster()
{
    std::vector<int> ranks;
    for (const Task& own : kubeflowTasks()) {
        const auto read = readTfConfig(writeTfConfig(kubeflowTasks(), own.type, own.index));
        VERIFY_OK(read);
        const ClusterSpec& spec = **read;
        QCOMPARE(spec.type, own.type);
        QCOMPARE(spec.index, own.index);
        QCOMPARE(spec.warnings, std::vector<std::string>());
        ranks.push_back(spec.rank());
        if (own.type == TaskType::Evaluator) {
            QCOMPARE(spec.tasks, std::vector<Task>());
            continue;
        }
        QCOMPARE(spec.ownAddress(), own.address);
        QCOMPARE(spec.chiefAddress(), std::string("mnist-chief-0.ml.svc:2222"));
        QCOMPARE(spec.tasks.size(), std::size_t{4});
        QCOMPARE(spec.tasks.at(static_cast<std::size_t>(spec.rank())), own);
    }
    QCOMPARE(ranks, (std::vector<int>{1, 2, 3, -1, 0}));
}

void TstTfConfig::modelDirsAgree()
{
    ClusterSpec spec;
    QCOMPARE(modelDirOf(spec, "").value(), std::string());
    QCOMPARE(modelDirOf(spec, "/a").value(), std::string("/a"));
    spec.modelDir = "/a";
    QCOMPARE(modelDirOf(spec, "").value(), std::string("/a"));
    QCOMPARE(modelDirOf(spec, "/a").value(), std::string("/a"));
    VERIFY_ERROR(modelDirOf(spec, "/b"), "cluster.other_model_dir");
}

CANNERY_TEST(TstTfConfig)
#include "tst_tf_config.moc"
