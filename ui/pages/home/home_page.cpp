// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/home/home_page.h"

#include "ui/editing/train_once_open.h"
#include "ui/models/formats.h"
#include "ui/pages/home/recent_row.h"
#include "ui/pages/home/sample_card.h"
#include "ui/pages/page_parts.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/recent_projects.h"
#include "ui/services/projects/sample_library.h"
#include "ui/services/projects/settings.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/label.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QPainter>
#include <QScrollArea>
#include <QTimer>

#include <algorithm>

namespace cannery::ui {

namespace {

constexpr int kContentWidth = 1064;
constexpr int kRecentsShown = 6;
constexpr std::chrono::milliseconds kBetweenLooks{2000};

/// The tin of the program's icon.
class Logo : public QWidget
{
public:
    explicit Logo(QWidget* parent) : QWidget(parent) { setFixedSize(scaled(44), scaled(44)); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        icon("cannery").paint(&painter, rect());
    }
};

/// Centers its content and limits its width to the design's.
class Centred : public QWidget
{
public:
    // By hand, as no layout centres something of limited width whose height depends on that width.
    explicit Centred(QWidget* content) : m_content(content) { content->setParent(this); }

    QSize sizeHint() const override { return {scaled(kContentWidth), heightFor(width())}; }
    QSize minimumSizeHint() const override { return {scaled(320), heightFor(width())}; }

protected:
    void resizeEvent(QResizeEvent*) override { place(); }

    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::LayoutRequest) {
            updateGeometry();
            place();
        }
        return QWidget::event(event);
    }

private:
    int widthFor(int outer) const
    {
        return std::max(scaled(320) - 2 * scaled(24),
                        std::min(scaled(kContentWidth), outer - 2 * scaled(24)));
    }

    int heightFor(int outer) const { return m_content->heightForWidth(widthFor(outer)); }

    void place()
    {
        const int inner = widthFor(width());
        const int tall = std::max(height(), heightFor(width()));
        m_content->setGeometry((width() - inner) / 2, 0, inner, tall);
        setMinimumHeight(heightFor(width()));
    }

    QWidget* m_content;
};

} // namespace

HomePage::HomePage(const PageContext& context, QWidget* parent)
    : Page("home", context, parent), m_review(new QAction(tr("Open Again"), this)),
      m_discard(new QAction(tr("Not Now"), this)),
      m_live(new UpdateThrottle(this, [this] { session().recents().refreshLive(); })),
      m_training(new TrainOnceOpen(session(), this))
{
    m_review->setObjectName("action.review_recovered");
    m_discard->setObjectName("action.discard_recovered");
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(makeScrollArea(new Centred(makeContent()), this));

    // Projects that are not open in this window report nothing by themselves.
    auto* clock = new QTimer(this);
    clock->start(kBetweenLooks);
    connect(clock, &QTimer::timeout, m_live, &UpdateThrottle::changed);
    connect(&session().recents(), &RecentProjects::changed, this, &HomePage::refreshRecents);
    connect(&session().samples(), &SampleLibrary::changed, this, &HomePage::refreshSamples);
    connect(&session().recovery(), &WindowRecovery::found, this, &HomePage::refreshRecovery);
    connect(m_training, &TrainOnceOpen::begun, this, [this] { Q_EMIT navigate("train"); });
    refreshRecents();
    refreshSamples();
    refreshRecovery();
}

QWidget* HomePage::makeTop()
{
    auto* name = new QWidget;
    auto* row = new QHBoxLayout(name);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(scaled(14));
    row->addWidget(new Logo(name));
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(new Label(tr("Cannery"), TextRole::EmptyTitle));
    words->addWidget(new Label(tr("Open a table, pick an estimator, press Train."), TextRole::Body,
                               Ink::Secondary));
    row->addLayout(words);
    row->addStretch(1);
    auto* buttons = new QWidget;
    auto* line = new QHBoxLayout(buttons);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaled(12));
    auto* guided = new Button(Button::Kind::Plain, action("action.page_guided"));
    guided->setOwnText(tr("Guided Run"));
    line->addWidget(guided);
    line->addWidget(new Button(Button::Kind::Plain, action("action.new_project")));
    line->addWidget(new Button(Button::Kind::Plain, action("action.open_project")));
    line->addWidget(new Button(Button::Kind::Primary, action("action.open_data")));
    auto* top = new AdaptiveRow;
    top->addPart(name, 1);
    top->addPart(buttons, 0);
    return top;
}

QWidget* HomePage::makeContent()
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, scaled(36), 0, scaled(24));
    column->setSpacing(scaled(12));
    column->addWidget(makeTop());
    column->addSpacing(scaled(16));
    makeRecovery();
    column->addWidget(m_recovery);

    m_continue = new QWidget;
    m_recents = new QVBoxLayout(m_continue);
    m_recents->setContentsMargins(0, 0, 0, scaled(12));
    m_recents->setSpacing(scaled(3));
    m_recents->addWidget(new Label(tr("Continue"), TextRole::Strong));
    m_recents->addSpacing(scaled(4));
    column->addWidget(m_continue);

    makeSamplesTitle();
    column->addWidget(m_samplesTitle);
    auto* samples = new QWidget;
    samples->setAccessibleName(tr("Samples"));
    m_samples = new FlowLayout(samples, 14);
    m_samples->setColumns(172, 5);
    column->addWidget(samples);
    column->addSpacing(scaled(10));
    column->addLayout(makeLogsHint());
    column->addStretch(1);
    return content;
}

void HomePage::makeRecovery()
{
    m_recovery = new Strip;
    m_recovery->setObjectName("strip.recovery");
    m_recovery->setActions({m_review, m_discard});
    m_recovery->hide();
    connect(m_review, &QAction::triggered, this, [this] {
        const QList<LostWindow> lost = session().recovery().lost();
        if (!lost.isEmpty()) {
            session().recovery().openLost(lost.first().project);
        }
    });
    connect(m_discard, &QAction::triggered, this, [this] {
        const QList<LostWindow> lost = session().recovery().lost();
        if (!lost.isEmpty()) {
            session().recovery().forgetLost(lost.first().project);
        }
        refreshRecovery();
    });
}

void HomePage::makeSamplesTitle()
{
    m_samplesTitle = new QWidget;
    auto* title = new QHBoxLayout(m_samplesTitle);
    title->setContentsMargins(0, 0, 0, 0);
    title->addWidget(new Label(tr("Start from a sample"), TextRole::Strong));
    title->addSpacing(scaled(4));
    title->addWidget(new Label(tr("opens and trains at once, nothing to download"), TextRole::Body,
                               Ink::Secondary),
                     1);
}

/// For users with event files and no project.
QLayout* HomePage::makeLogsHint()
{
    auto* logs = new QHBoxLayout;
    logs->setSpacing(scaled(8));
    logs->addWidget(makeIcon("chart-line", Ink::Secondary, 16), 0, Qt::AlignTop);
    auto* link = new LinkLabel(
        tr("Have TensorBoard logs? <a href=\"open\">Open a folder of event files</a> and browse "
           "the curves, no project needed. You can also drop a table, a project or a folder "
           "anywhere on this window."));
    link->setObjectName("link.open_events");
    link->setWordWrap(true);
    connect(link, &QLabel::linkActivated, action("action.open_events"), &QAction::trigger);
    logs->addWidget(link, 1);
    return logs;
}

void HomePage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    session().recents().refresh();
}

void HomePage::refreshRecents()
{
    const QList<RecentProject> projects = session().recents().projects();
    const qsizetype count = std::min<qsizetype>(projects.size(), kRecentsShown);
    // Rows are reused: one with the focus keeps it while the list is brought up to date.
    while (m_rows.size() > count) {
        delete m_rows.takeLast();
    }
    while (m_rows.size() < count) {
        auto* row = new RecentRow(m_continue);
        connect(row, &QAbstractButton::clicked, this, [this, row] {
            if (row->project().exists) {
                const RecentProject& project = row->project();
                session().project().open(project.experimentFile.isEmpty() ? project.folder
                                                                          : project.experimentFile);
            }
        });
        // Queued, as the row is deleted in the end, which must not happen within its own signal.
        connect(
            row, &RecentRow::removeRequested, this,
            [this, row] { session().recents().remove(row->project().folder); },
            Qt::QueuedConnection);
        connect(row, &RecentRow::locateRequested, this,
                [this, row] { locate(row->project().folder); });
        m_recents->addWidget(row);
        m_rows.append(row);
    }
    for (qsizetype i = 0; i < count; ++i) {
        m_rows[i]->setProject(projects[i]);
    }
    m_continue->setVisible(count > 0);
}

void HomePage::locate(const QString& folder)
{
    auto* dialog = new QFileDialog(this, tr("Locate Project"), folder);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this, folder](const QString& chosen) {
        session().recents().relocate(folder, chosen);
    });
    dialog->open();
}

void HomePage::refreshSamples()
{
    clearLayout(m_samples);
    const QList<Sample> samples = session().samples().samples();
    for (const Sample& sample : samples) {
        auto* card = new SampleCard(sample);
        connect(card, &QAbstractButton::clicked, this, [this, id = sample.id] {
            m_training->expect();
            session().samples().make(id, session().settings().projectsFolder());
        });
        m_samples->addWidget(card);
    }
    m_samplesTitle->setVisible(!samples.isEmpty());
}

void HomePage::refreshRecovery()
{
    const QList<LostWindow>& lost = session().recovery().lost();
    m_recovery->setActions({m_review, m_discard});
    if (!lost.isEmpty()) {
        m_recovery->setMessage(
            Strip::Level::Info, tr("The window closed unexpectedly."),
            tr("%1 was open; its runs keep training.").arg(formatPath(lost.first().project)));
    } else {
        m_recovery->hide();
    }
}

} // namespace cannery::ui
