// Runs a declarative Jenkinsfile with stubs, so that Groovy itself reads it: prints its stages and steps. Each shell step ends with CODE.
abstract class Stubs extends Script {
  def methodMissing(String name, Object arguments) {
    def given = arguments as List
    def named = given.find { it instanceof Map } ?: [:]
    def text = named.script ?: named.testResults ?: named.artifacts ?: given.find { it instanceof CharSequence }
    if (text != null) println "$name\t$text"
    given.findAll { it instanceof Closure }.each { part ->
      part.resolveStrategy = Closure.DELEGATE_FIRST
      part.delegate = this
      part()
    }
    named.returnStatus ? binding.getVariable('CODE') : null
  }
}

def configuration = new org.codehaus.groovy.control.CompilerConfiguration(scriptBaseClass: Stubs.name)
def variables = new Binding([CODE: args[1] as int])
new GroovyShell(this.class.classLoader, variables, configuration).evaluate(new File(args[0]))
