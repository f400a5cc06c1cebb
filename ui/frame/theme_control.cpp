// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/theme_control.h"

#include "ui/actions/action_registry.h"
#include "ui/services/projects/settings.h"
#include "ui/widgets/style/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr std::array kKeys{"theme", "textScale", "usesDesktopFont", "reducesMotion",
                           "highContrast"};
constexpr double kStep = 0.1;

} // namespace

ThemeControl::ThemeControl(QApplication& application, Settings& settings, QObject* parent)
    : QObject(parent), m_application(&application), m_settings(&settings)
{
    connect(m_settings, &Settings::changed, this, [this](const QString& key) {
        if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) {
            apply();
        }
    });
    apply();
}

void ThemeControl::apply()
{
    const auto theme = m_settings->theme();
    const bool dark = theme == Settings::ThemeChoice::Dark ||
                      (theme == Settings::ThemeChoice::Desktop && desktopIsDark());
    applyTheme(*m_application, {.dark = dark,
                                .textScale = m_settings->textScale(),
                                .desktopFont = m_settings->usesDesktopFont(),
                                .reduceMotion = m_settings->reducesMotion(),
                                .highContrast = m_settings->value("highContrast").toBool()});
    if (m_actions) {
        const char* id = theme == Settings::ThemeChoice::Dark    ? "action.theme_dark"
                         : theme == Settings::ThemeChoice::Light ? "action.theme_light"
                                                                 : "action.theme_desktop";
        m_actions->find(id)->setChecked(true);
    }
}

void ThemeControl::connectActions(ActionRegistry& actions)
{
    m_actions = &actions;
    auto* group = new QActionGroup(this);
    const auto choose = [&](const char* id, Settings::ThemeChoice theme) {
        QAction* action = actions.find(id);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, theme] { m_settings->setTheme(theme); });
    };
    choose("action.theme_light", Settings::ThemeChoice::Light);
    choose("action.theme_dark", Settings::ThemeChoice::Dark);
    choose("action.theme_desktop", Settings::ThemeChoice::Desktop);
    connect(actions.find("action.text_larger"), &QAction::triggered, this,
            [this] { stepTextScale(1); });
    connect(actions.find("action.text_smaller"), &QAction::triggered, this,
            [this] { stepTextScale(-1); });
    connect(actions.find("action.text_reset"), &QAction::triggered, this,
            [this] { m_settings->setTextScale(1); });
    apply();
}

void ThemeControl::stepTextScale(int steps)
{
    const double scale = std::round(m_settings->textScale() / kStep + steps) * kStep;
    m_settings->setTextScale(std::clamp(scale, 1.0, 2.0));
}

} // namespace cannery::ui
