// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/dialogs/settings_dialog.h"

#include "ui/frame/dialogs/settings_page.h"
#include "ui/frame/dialogs/shortcut_table.h"
#include "ui/models/formats.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/label.h"
#include "ui/widgets/segmented.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QListWidget>
#include <QSlider>
#include <QSpinBox>
#include <QStackedWidget>
#include <QThread>
#include <QVBoxLayout>

namespace cannery::ui {
namespace {

constexpr int kPercent = 100;
constexpr int kMegabyte = 1000 * 1000;

/// A check box bound to a setting.
template <class Get, class Set>
QCheckBox* makeCheck(Settings& settings, const QString& name, const QString& text, Get get, Set set)
{
    auto* box = new QCheckBox(text);
    box->setObjectName(name);
    box->setChecked((settings.*get)());
    QObject::connect(box, &QCheckBox::toggled, &settings,
                     [&settings, set](bool on) { (settings.*set)(on); });
    QObject::connect(&settings, &Settings::changed, box,
                     [box, &settings, get] { box->setChecked((settings.*get)()); });
    return box;
}

QSpinBox* makeSpin(const QString& name, int least, int most, int value)
{
    auto* spin = new QSpinBox;
    spin->setObjectName(name);
    spin->setRange(least, most);
    spin->setValue(value);
    // "128" must not be applied as 1, 12 and 128.
    spin->setKeyboardTracking(false);
    return spin;
}

/// A slider and a spin box for one value; the slider alone would be inexact.
QWidget* makeTextScale(Settings& settings)
{
    auto* both = new QWidget;
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setRange(kPercent, 2 * kPercent);
    slider->setSingleStep(5);
    slider->setPageStep(10);
    // The text size changes the slider as well, which must not happen under the pointer.
    slider->setTracking(false);
    const auto fit = [slider] { slider->setFixedWidth(scaled(160)); };
    QObject::connect(&themeWatch(), &ThemeWatch::changed, slider, fit);
    fit();
    slider->setAccessibleName(SettingsDialog::tr("Text size"));
    slider->setObjectName("setting.text_scale_slider");
    QSpinBox* spin = makeSpin("setting.text_scale", kPercent, 2 * kPercent, kPercent);
    spin->setSuffix(SettingsDialog::tr(" %"));
    spin->setSingleStep(5);
    spin->setAccessibleName(SettingsDialog::tr("Text size in percent"));
    row->addWidget(slider);
    row->addWidget(spin);
    const auto follow = [slider, spin, &settings] {
        const int percent = qRound(settings.textScale() * kPercent);
        // What comes from the settings is not to be set again, rounded to a percent.
        const QSignalBlocker quietSlider(slider);
        const QSignalBlocker quietSpin(spin);
        slider->setValue(percent);
        spin->setValue(percent);
    };
    const auto set = [&settings](int percent) {
        settings.setTextScale(percent / static_cast<double>(kPercent));
    };
    QObject::connect(slider, &QSlider::valueChanged, &settings, set);
    QObject::connect(spin, &QSpinBox::valueChanged, &settings, set);
    QObject::connect(&settings, &Settings::changed, both, follow);
    follow();
    return both;
}

} // namespace

SettingsDialog::SettingsDialog(ProjectSession& session, ActionRegistry& actions, QWidget* parent)
    : Dialog(tr("Settings"), parent), m_session(&session), m_actions(&actions),
      m_list(new QListWidget(this)), m_stack(new QStackedWidget(this))
{
    setObjectName("dialog.settings");
    setContentWidth(720);
    auto* row = new QHBoxLayout;
    row->setSpacing(scaled(24));
    m_list->setObjectName("list.settings_sections");
    m_list->setAccessibleName(tr("Sections"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->viewport()->setAutoFillBackground(false);
    row->addWidget(m_list);
    row->addWidget(m_stack, 1);
    body()->addLayout(row, 1);
    addSection("appearance", tr("Appearance"), makeAppearance());
    addSection("charts", tr("Charts"), makeCharts());
    addSection("engine", tr("Engine"), makeEngine());
    addSection("storage", tr("Storage"), makeStorage());
    addSection("notifications", tr("Notifications"), makeNotifications());
    addSection("shortcuts", tr("Shortcuts"), makeShortcuts());
    connect(m_list, &QListWidget::currentRowChanged, m_stack, &QStackedWidget::setCurrentIndex);
    m_list->setCurrentRow(0);
    addButton(Button::Kind::Plain, tr("Close"), Accepted, true);
    const auto follow = [this] {
        m_list->setFixedWidth(scaled(170));
        m_stack->setMinimumHeight(scaled(360));
    };
    connect(&themeWatch(), &ThemeWatch::changed, this, follow);
    follow();
    m_list->setFocus();
}

void SettingsDialog::addSection(const QString& id, const QString& title, SettingsPage* page)
{
    auto* item = new QListWidgetItem(title, m_list);
    item->setData(Qt::UserRole, id);
    page->setObjectName("settings." + id);
    m_stack->addWidget(page);
}

void SettingsDialog::showSection(const QString& id)
{
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->data(Qt::UserRole).toString() == id) {
            m_list->setCurrentRow(row);
        }
    }
}

QString SettingsDialog::section() const
{
    const QListWidgetItem* item = m_list->currentItem();
    return item ? item->data(Qt::UserRole).toString() : QString();
}

QList<std::pair<QString, QString>> SettingsDialog::index()
{
    // What the command palette finds.
    return {{tr("Theme"), "appearance"},
            {tr("Text size"), "appearance"},
            {tr("Desktop font"), "appearance"},
            {tr("Reduce motion"), "appearance"},
            {tr("High contrast"), "appearance"},
            {tr("Values at the cursor"), "charts"},
            {tr("Chart memory"), "charts"},
            {tr("Engine threads"), "engine"},
            {tr("Engine restarts"), "engine"},
            {tr("Projects folder"), "storage"},
            {tr("Empty Trash"), "storage"},
            {tr("Notifications"), "notifications"},
            {tr("Keyboard shortcuts"), "shortcuts"}};
}

SettingsPage* SettingsDialog::makeAppearance()
{
    Settings& settings = m_session->settings();
    auto* page = new SettingsPage(tr("Appearance"), m_stack);
    auto* theme = new Segmented({tr("Desktop"), tr("Light"), tr("Dark")});
    theme->setObjectName("setting.theme");
    const auto follow = [theme, &settings] {
        const QSignalBlocker quiet(theme);
        theme->setCurrentIndex(static_cast<int>(settings.theme()));
    };
    follow();
    connect(theme, &Segmented::currentChanged, this, [&settings](int index) {
        settings.setTheme(static_cast<Settings::ThemeChoice>(index));
    });
    connect(&settings, &Settings::changed, theme, follow);
    page->addRow(tr("Theme"), theme);
    page->addRow(tr("Text size"), makeTextScale(settings),
                 tr("Scales everything in the window, in addition to the desktop's setting."));
    page->addWide(makeCheck(settings, "setting.desktop_font", tr("Use the desktop's font"),
                            &Settings::usesDesktopFont, &Settings::setUsesDesktopFont));
    page->addWide(makeCheck(settings, "setting.reduce_motion", tr("Reduce motion"),
                            &Settings::reducesMotion, &Settings::setReducesMotion));
    auto* contrast = new QCheckBox(tr("High contrast"));
    contrast->setObjectName("setting.high_contrast");
    contrast->setChecked(settings.value("highContrast").toBool());
    connect(contrast, &QCheckBox::toggled, this,
            [&settings](bool on) { settings.setValue("highContrast", on); });
    page->addWide(contrast, tr("Stronger outlines, no grey text."));
    page->finish();
    return page;
}

SettingsPage* SettingsDialog::makeCharts()
{
    Settings& settings = m_session->settings();
    auto* page = new SettingsPage(tr("Charts"), m_stack);
    page->addWide(makeCheck(settings, "setting.hover_readout", tr("Show values at the cursor"),
                            &Settings::showsHoverReadout, &Settings::setShowsHoverReadout),
                  tr("The table below the charts shows the same values."));
    QSpinBox* memory = makeSpin("setting.chart_memory", 64, 64000,
                                static_cast<int>(settings.chartMemoryLimit() / kMegabyte));
    memory->setSuffix(tr(" MB"));
    memory->setSingleStep(64);
    connect(memory, &QSpinBox::valueChanged, this, [&settings](int megabytes) {
        settings.setChartMemoryLimit(static_cast<qint64>(megabytes) * kMegabyte);
    });
    page->addRow(tr("Chart memory"), memory,
                 tr("Further points are read from disk when needed; nothing is left out."));
    page->finish();
    return page;
}

SettingsPage* SettingsDialog::makeEngine()
{
    Settings& settings = m_session->settings();
    auto* page = new SettingsPage(tr("Engine"), m_stack);
    QSpinBox* threads = makeSpin("setting.threads", 0, 1024, settings.threads());
    // 0 stands for all.
    threads->setSpecialValueText(tr("All %1").arg(QThread::idealThreadCount()));
    connect(threads, &QSpinBox::valueChanged, &settings, &Settings::setThreads);
    page->addRow(tr("Threads"), threads, tr("Results are the same for any number of threads."));
    QSpinBox* restarts = makeSpin("setting.restarts", 0, 3, settings.restarts());
    connect(restarts, &QSpinBox::valueChanged, &settings, &Settings::setRestarts);
    page->addRow(tr("Restarts"), restarts,
                 tr("How often per hour a killed engine is restarted from its last checkpoint."));
    page->finish();
    return page;
}

SettingsPage* SettingsDialog::makeStorage()
{
    Settings& settings = m_session->settings();
    auto* page = new SettingsPage(tr("Storage"), m_stack);
    auto* folder = new Button(Button::Kind::Plain, "folder", formatPath(settings.projectsFolder()));
    folder->setObjectName("setting.projects_folder");
    connect(folder, &QPushButton::clicked, this, [this, folder, &settings] {
        auto* chooser = new QFileDialog(this, tr("Projects Folder"), settings.projectsFolder());
        chooser->setAttribute(Qt::WA_DeleteOnClose);
        chooser->setFileMode(QFileDialog::Directory);
        connect(chooser, &QFileDialog::fileSelected, this,
                [folder, &settings](const QString& path) {
                    settings.setProjectsFolder(path);
                    folder->setText(formatPath(path));
                });
        chooser->open();
    });
    page->addRow(tr("Projects"), folder, tr("Where samples and new projects are created."));
    auto* empty = new Button(Button::Kind::Danger, "trash", tr("Empty Trash…"));
    empty->setObjectName("button.empty_trash");
    connect(empty, &QPushButton::clicked, this, [this] {
        auto* ask = new Dialog(tr("Empty Trash?"), this);
        ask->setAttribute(Qt::WA_DeleteOnClose);
        ask->setSentence(tr("The folders of all runs in the Trash are deleted permanently. "
                            "Exports are kept."));
        ask->addButton(Button::Kind::Plain, tr("Keep"), Rejected, true);
        ask->addButton(Button::Kind::Danger, tr("Empty Trash"), Accepted);
        connect(ask, &QDialog::accepted, this, [this] { m_session->runs().emptyTrash(); });
        ask->open();
    });
    const auto follow = [this, empty] {
        // A folder of event files is only read: it has no trash of ours.
        const bool isOurs = m_session->project().isOpen() && !m_session->project().isEventFolder();
        const QString fixed = m_session->project().changeHindrance();
        empty->setEnabled(isOurs && fixed.isEmpty());
        empty->setToolTip(fixed);
    };
    follow();
    connect(&m_session->project(), &OpenProject::changed, empty, follow);
    connect(&m_session->starter(), &RunStarter::readinessChanged, empty, follow);
    page->addRow(tr("Trash"), empty, tr("The open project's Trash."));
    page->finish();
    return page;
}

SettingsPage* SettingsDialog::makeNotifications()
{
    Settings& settings = m_session->settings();
    auto* page = new SettingsPage(tr("Notifications"), m_stack);
    page->addWide(makeCheck(settings, "setting.notifies", tr("Notify when a run ends"),
                            &Settings::notifies, &Settings::setNotifies),
                  tr("As a desktop notification, only while this window is not in front."));
    page->finish();
    return page;
}

SettingsPage* SettingsDialog::makeShortcuts()
{
    auto* page = new SettingsPage(tr("Shortcuts"), m_stack);
    page->addWide(new ShortcutTable(*m_actions));
    page->finish(true);
    return page;
}

} // namespace cannery::ui
