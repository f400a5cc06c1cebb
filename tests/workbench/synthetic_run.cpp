// SPDX-License-Identifier: GPL-3.0-only
#include "tests/workbench/synthetic_run.h"

#include "storage/io/files.h"
#include "storage/runs/run_files.h"

#include <QDateTime>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>

namespace cannery::tests {
namespace {

constexpr std::int64_t kSummaryEvery = 100;
constexpr std::int64_t kEvaluateEvery = 100'000;
constexpr std::int64_t kTellEvery = 5'000;
constexpr std::size_t kCheckpointsKept = 5;
/// Less than a watcher's mailbox holds, so that every line arrives.
constexpr std::size_t kLinesInFlight = 128;

constexpr std::array kTags{"loss",
                           "cannery/gradient_norm",
                           "cannery/rows_per_second",
                           "cannery/input_wait",
                           "cannery/device_busy",
                           "cannery/memory_mb",
                           "cannery/train/auc",
                           "cannery/train/accuracy",
                           "dnn/hiddenlayer_0/fraction_of_zero_values",
                           "dnn/hiddenlayer_1/fraction_of_zero_values",
                           "linear/fraction_of_zero_weights",
                           "bias"};

double now()
{
    return static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
}

template <typename T>
T orAbort(Result<T> result)
{
    if (!result) {
        std::abort();
    }
    return std::move(*result);
}

std::string folderOf(const storage::RunStore& store, const std::string& name)
{
    std::string folder = store.folderOf(name);
    if (!storage::makeFolders(folder)) {
        std::abort();
    }
    return folder;
}

double aucAt(std::int64_t step)
{
    return 0.8 + 0.1 * std::sin(static_cast<double>(step) / 3e6);
}

} // namespace

SyntheticRun::SyntheticRun(const std::string& project, const std::string& name,
                           std::int64_t maxSteps)
    : m_name(name), m_store(orAbort(storage::RunStore::open(project))),
      m_folder(folderOf(m_store, name)), m_lock(orAbort(storage::RunLock::acquire(m_folder))),
      m_train(orAbort(storage::EventWriter::create(m_folder))),
      m_eval(orAbort(storage::EventWriter::create(m_folder + "/eval"))),
      m_log(QString::fromStdString(m_folder + "/train.log")), m_maxSteps(maxSteps), m_begun(now())
{
    const storage::RunInfo info{.name = name,
                                .estimator = "dnn_linear_combined_classifier",
                                .trainRows = 627,
                                .createdAt = m_begun};
    storage::RunFiles files(m_folder);
    if (!m_log.open(QIODevice::WriteOnly) || !files.writeInfo(info) ||
        !files.writeStatus(status()) || !m_store.putRun(info, status())) {
        std::abort();
    }
    m_server = std::make_unique<control::ControlServer>(
        control::ControlServer::Options{.runFolder = m_folder,
                                        .shortestPause = std::chrono::milliseconds(5)},
        m_engine);
    publishStatus();
}

SyntheticRun::~SyntheticRun()
{
    m_thread.request_stop();
    m_thread = {};
    m_server.reset();
}

storage::RunStatus SyntheticRun::status() const
{
    return {.state = storage::RunState::Running,
            .globalStep = m_step,
            .maxSteps = m_maxSteps,
            .updatedAt = now(),
            .startedAt = m_begun};
}

void SyntheticRun::begin(std::int64_t steps)
{
    m_isAtRest = false;
    m_thread = std::jthread([this, steps](const std::stop_token& stop) {
        train(steps, stop);
        m_isAtRest = true;
    });
}

void SyntheticRun::train(std::int64_t steps, const std::stop_token& stop)
{
    const std::int64_t end = m_step + steps;
    while (m_step < end && !stop.stop_requested()) {
        m_step += kSummaryEvery;
        summarise();
        if (m_step % kEvaluateEvery == 0) {
            evaluate();
        }
        if (m_step % kTellEvery == 0) {
            m_log.flush();
            publishStatus();
        }
        while (m_server->longestMailbox() > kLinesInFlight && !stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }
}

void SyntheticRun::summarise()
{
    const std::int64_t at = m_step;
    const double loss = 0.4 + 0.3 * std::exp(-static_cast<double>(at) / 2e6);
    storage::SummaryBuilder summary;
    for (std::size_t tag = 0; tag < kTags.size(); ++tag) {
        summary.scalar(kTags[tag], static_cast<float>(tag == 0 ? loss : aucAt(at)));
    }
    static_cast<void>(m_train.writeSummary(at, summary));
    static_cast<void>(m_train.flush());
    m_server->publish(control::FileGrew{.path = m_train.path(), .bytes = m_train.position()});
    writeLine("-", "loss = " + std::to_string(loss) + ", step = " + std::to_string(at));
    writeLine("-", "global_step/sec: 20000");
}

void SyntheticRun::evaluate()
{
    storage::SummaryBuilder summary;
    summary.scalar("auc", static_cast<float>(aucAt(m_step)));
    summary.scalar("loss", 0.5F);
    static_cast<void>(m_eval.writeSummary(m_step, summary));
    static_cast<void>(m_eval.flush());
    m_server->publish(control::FileGrew{.path = m_eval.path(), .bytes = m_eval.position()});
    const storage::RunEvaluation evaluation{
        .globalStep = m_step,
        .wallTime = now(),
        .metrics = {{"auc", aucAt(m_step)}, {"loss", 0.5}, {"accuracy", 0.8}}};
    m_checkpoints.push_back(
        {.globalStep = m_step, .bytes = 212'000, .savedAt = now(), .keptBecause = "latest"});
    if (m_checkpoints.size() > kCheckpointsKept) {
        m_checkpoints.erase(m_checkpoints.begin());
    }
    storage::RunFiles files(m_folder);
    static_cast<void>(files.addEvaluation(evaluation));
    static_cast<void>(files.writeCheckpoints(m_checkpoints));
    static_cast<void>(m_store.addEvaluation(m_name, evaluation));
    static_cast<void>(m_store.setCheckpoints(m_name, m_checkpoints));
    writeLine("-", "Saving dict for global step " + std::to_string(m_step) + ": auc = 0.8");
    m_server->publish(control::StoreChanged{});
}

void SyntheticRun::writeLine(const std::string& id, const std::string& sentence,
                             reports::LogLine::Level level)
{
    const QByteArray time = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toUtf8();
    const char* word = level == reports::LogLine::INFO      ? "info"
                       : level == reports::LogLine::WARNING ? "warning"
                                                            : "error";
    m_log.write(time + ' ' + word + ' ' + id.c_str() + ' ' + sentence.c_str() + '\n');
    reports::LogLine published;
    published.set_time(now());
    published.set_level(level);
    published.set_id(id == "-" ? "" : id);
    published.set_sentence(sentence);
    m_server->publish(published);
}

void SyntheticRun::say(reports::LogLine::Level level, const std::string& id,
                       const std::string& sentence)
{
    writeLine(id, sentence, level);
    m_log.flush();
}

void SyntheticRun::setWorkers(std::vector<reports::TaskStatus> workers)
{
    m_workers = std::move(workers);
    publishStatus();
}

void SyntheticRun::publishStatus()
{
    m_eventBytes = m_train.position() + m_eval.position();
    reports::EngineStatus status;
    status.set_run_folder(m_folder);
    status.set_state("Running");
    status.set_global_step(m_step);
    status.set_max_steps(m_maxSteps);
    status.set_loss(0.4);
    status.set_steps_per_second(20'000);
    status.set_rows_per_second(2e6);
    status.set_epochs(12);
    status.set_input_wait(0.03);
    status.set_device_busy(0.9);
    status.set_memory_bytes(300'000'000);
    status.set_process_id(1);
    status.set_threads(2);
    status.set_device("CPU");
    status.set_started_at(m_begun);
    status.mutable_workers()->Assign(m_workers.begin(), m_workers.end());
    m_server->publish(status);
}

} // namespace cannery::tests
